// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What becomes of a process that connects to a slot where another of the same user lies? It speaks wire.h by hand
 * and answers with too many descriptors or none, files that are not what they should be, numbers that are not true, or
 * not at all. Requests to it end with an error, and leave no descriptor and no wait behind.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include "host/layout.h"
#include "host/notice.h"
#include "host/wire.h"
#include "soft_rig.h"

#define LIAR_SLOT     7u
#define LIAR_INSTANCE 0x11a21a2u
#define LIAR_QPN      QPN(LIAR_SLOT, 1)
#define LIAR_KEY      KEY(1, LIAR_SLOT, 1)
#define LIAR_WINDOW   MW_KEY(LIAR_SLOT, 1)
#define LIAR_CHANNEL  0x10001u
#define LIAR_SEALS    (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define HEAP	      LAYOUT_HEAP_OFFSET
#define RING	      (LAYOUT_HEAP_OFFSET + 65536)
#define LENGTH	      8192u
#define LIMIT_S	      60 /* of a victim: several times what it may wait */
#define FDS_MAX	      4

/* Where a message goes in the liar's tables, and its receive request. */
struct rows {
	struct qp_row qp;
	struct rq_row queue;
	struct cq_row cq;
	struct srq_row srq;
	struct receive receive;
};

/* What the liar answers; the truth at first, then one lie about it. */
struct liar {
	int control;
	int data;
	int fds[FDS_MAX];
	int count;
	struct wire_reply reply;
	size_t length;	      /* of the reply */
	uint32_t is_silent;   /* accepts, and says nothing */
	uint32_t is_departed; /* closes the connection at once */
	int truncates;	      /* a file to be cut once it was handed over, -1: none */
	enum mr_kind kind;
	uint32_t region_access;
	struct mw_row window;
	struct rows rows;
};

struct lie {
	const char *name;
	void (*of_connection)(struct liar *liar);
	void (*of_region)(struct liar *liar);
	void (*of_channel)(struct liar *liar);
	void (*of_window)(struct mw_row *row);
	void (*of_rows)(struct rows *rows);
	bool is_xrc;
	bool is_read_only; /* the region of that window */
	bool is_true;	   /* nothing is a lie: the request succeeds */
	bool has_timer;	   /* whose signals interrupt every wait */
};

/* --- the liar --- */

static int file_make(uint64_t size, unsigned int flags, int seals)
{
	int fd = memfd_create("liar", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);

	RIG_CHECK(fd >= 0 && ftruncate(fd, (off_t)size) == 0 && (!seals || fcntl(fd, F_ADD_SEALS, seals) == 0));
	return fd;
}

/* One queue pair that takes what comes, one region, a receive, and a completion queue with a channel. */
static void tables_write(const struct liar *liar, uint32_t initiator)
{
	uint8_t *base = mmap(NULL, LAYOUT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, liar->control, 0);
	struct mr_row *mr;

	RIG_CHECK(base != MAP_FAILED);
	*(struct control_header *)(void *)base =
		(struct control_header){.magic = WIRE_MAGIC, .version = LAYOUT_VERSION, .instance = LIAR_INSTANCE};
	mr = (struct mr_row *)(void *)(base + LAYOUT_MR_OFFSET) + 1;
	*mr = (struct mr_row){.id = MR_ID(1, LIAR_KEY),
			      .iova = LENGTH,
			      .length = LENGTH,
			      .addr = LENGTH,
			      .access = liar->region_access,
			      .pd = 1,
			      .kind = liar->kind};
	*((struct mw_row *)(void *)(base + LAYOUT_MW_OFFSET) + 1) = liar->window;
	*((struct qp_row *)(void *)(base + LAYOUT_QP_OFFSET) + 1) = liar->rows.qp;
	((struct qp_row *)(void *)(base + LAYOUT_QP_OFFSET) + 1)->gate = GATE(initiator, 0, IBV_QPS_RTS);
	*((struct rq_row *)(void *)(base + LAYOUT_RQ_OFFSET) + 1) = liar->rows.queue;
	*((struct cq_row *)(void *)(base + LAYOUT_CQ_OFFSET) + 1) = liar->rows.cq;
	*((struct srq_row *)(void *)(base + LAYOUT_SRQ_OFFSET) + 1) = liar->rows.srq;
	memcpy(base + HEAP, &liar->rows.receive, sizeof(liar->rows.receive));
	munmap(base, LAYOUT_SIZE);
}

static void reply_send(int fd, const struct liar *liar)
{
	struct iovec part = {.iov_base = (void *)&liar->reply, .iov_len = liar->length};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control = {.room = {0}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	size_t size = (size_t)liar->count * sizeof(int);

	if (liar->count) {
		message.msg_control = control.room;
		message.msg_controllen = CMSG_SPACE(size);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(size);
		memcpy(CMSG_DATA(&control.header), liar->fds, size);
	}
	RIG_CHECK(sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)liar->length || errno == EPIPE);
}

static void request_answer(int fd, const struct liar *truthful, const struct lie *lie)
{
	struct wire_request request;
	struct liar liar = *truthful;

	RIG_CHECK(recv(fd, &request, sizeof(request), 0) == sizeof(request) && request.magic == WIRE_MAGIC);
	liar.reply = (struct wire_reply){.magic = WIRE_MAGIC,
					 .version = LAYOUT_VERSION,
					 .slot = LIAR_SLOT,
					 .instance = LIAR_INSTANCE,
					 .page_size = 4096,
					 .sysv_id = -1};
	liar.length = sizeof(liar.reply);
	liar.truncates = -1;
	liar.count = 1;
	if (request.kind == WIRE_CONNECT) {
		liar.fds[0] = liar.control;
		liar.fds[1] = liar.data;
		liar.count = 2;
		if (lie->of_connection)
			lie->of_connection(&liar);
	} else if (request.kind == WIRE_REGION) {
		liar.fds[0] = file_make(LENGTH, 0, 0);
		if (lie->of_region)
			lie->of_region(&liar);
	} else {
		liar.fds[0] = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
		if (lie->of_channel)
			lie->of_channel(&liar);
	}
	if (!liar.is_silent && !liar.is_departed)
		reply_send(fd, &liar);
	if (liar.is_departed)
		close(fd);
	if (liar.truncates >= 0)
		RIG_CHECK(ftruncate(liar.truncates, 4096) == 0);
}

/* `pair`: the victim's queue pair number comes, a byte goes whenever a connection was answered. */
static void liar_run(const struct lie *lie, int listener, int pair)
{
	struct liar liar = {.kind = lie->of_region || lie->is_read_only ? MR_FILE_BACKED : MR_SHARED_IN_PLACE,
			    .region_access = lie->is_read_only ? IBV_ACCESS_REMOTE_READ : RIG_ACCESS,
			    .window = {.id = MW_ID(1, LIAR_WINDOW),
				       .iova = LENGTH,
				       .length = LENGTH,
				       .addr = LENGTH,
				       .access = RIG_ACCESS,
				       .pd = 1,
				       .region = LIAR_KEY},
			    .rows = {.qp = {.pd = 1,
					    .access = RIG_ACCESS,
					    .receive_cq = 1,
					    .mtu = 4096,
					    .max_dest_rd_atomic = 1,
					    .established = 1,
					    .receive_queue = 1,
					    .xrcd = {.device = 1, .inode = 1}},
				     .queue = {.mask = 0, .shift = 6, .ring = HEAP, .pd = 1},
				     .cq = {.channel = LIAR_CHANNEL,
					    .mask = 15,
					    .capacity = 15,
					    .ring = RING,
					    .armed = CQ_ARMED_ANY},
				     .srq = {.number = LIAR_QPN,
					     .receive_queue = 1,
					     .cq = 1,
					     .pd = 1,
					     .xrcd = {.device = 1, .inode = 1}},
				     .receive = {.wr_id = 1, .stamp = 1}}};
	uint32_t initiator;
	int fd;

	if (lie->of_window)
		lie->of_window(&liar.window);
	if (lie->of_rows)
		lie->of_rows(&liar.rows);
	liar.control = file_make(LAYOUT_SIZE, 0, LIAR_SEALS);
	liar.data = file_make(LAYOUT_DATA_SIZE, 0, LIAR_SEALS);
	RIG_CHECK(read(pair, &initiator, sizeof(initiator)) == sizeof(initiator));
	tables_write(&liar, initiator);
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		request_answer(fd, &liar, lie);
		RIG_CHECK(write(pair, "", 1) == 1);
	}
}

/* Whoever had it before is gone. */
static int slot_bind(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/perftest-soft", getenv("XDG_RUNTIME_DIR"));
	RIG_CHECK(mkdir(address.sun_path, 0700) == 0 || errno == EEXIST);
	snprintf(address.sun_path + strlen(address.sun_path), 8, "/%u", LIAR_SLOT);
	RIG_CHECK(unlink(address.sun_path) == 0 || errno == ENOENT);
	RIG_CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 8) == 0);
	return fd;
}

/* The victim's socket is there as well if it crashed. */
static void slots_remove(void)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/perftest-soft", getenv("XDG_RUNTIME_DIR"));
	folder = opendir(path);
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(folder), entry->d_name, 0);
	}
	closedir(folder);
	assert_int_equal(rmdir(path), 0);
}

/* --- the lies --- */

static void no_descriptor(struct liar *liar)
{
	liar->count = 0;
}

static void one_fewer(struct liar *liar)
{
	liar->count--;
}

static void one_more(struct liar *liar)
{
	liar->fds[liar->count++] = liar->data;
}

static void two_more(struct liar *liar)
{
	one_more(liar);
	one_more(liar);
}

static void other_order(struct liar *liar)
{
	liar->fds[0] = liar->data;
	liar->fds[1] = file_make(4096, 0, LIAR_SEALS);
}

static void short_control(struct liar *liar)
{
	liar->fds[0] = file_make(4096, 0, LIAR_SEALS);
}

static void short_data(struct liar *liar)
{
	liar->fds[1] = file_make(4096, 0, LIAR_SEALS);
}

static void control_cut_later(struct liar *liar)
{
	liar->truncates = liar->fds[0] = file_make(LAYOUT_SIZE, 0, 0);
}

static void data_cut_later(struct liar *liar)
{
	liar->truncates = liar->fds[1] = file_make(LAYOUT_DATA_SIZE, 0, 0);
}

static void control_read_only(struct liar *liar)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", liar->fds[0]);
	liar->fds[0] = open(path, O_RDONLY | O_CLOEXEC);
	RIG_CHECK(liar->fds[0] >= 0);
}

static void pipes(struct liar *liar)
{
	RIG_CHECK(pipe(liar->fds) == 0);
}

/* Where there is none to be had, a hole of it is as deadly as what lies behind an end. */
static void control_of_huge_pages(struct liar *liar)
{
	liar->fds[0] = file_make(LAYOUT_SIZE, MFD_HUGETLB, LIAR_SEALS);
}

static void data_of_huge_pages(struct liar *liar)
{
	liar->fds[1] = file_make(LAYOUT_DATA_SIZE, MFD_HUGETLB, LIAR_SEALS);
}

static void wrong_magic(struct liar *liar)
{
	liar->reply.magic++;
}

static void wrong_version(struct liar *liar)
{
	liar->reply.version++;
}

static void wrong_slot(struct liar *liar)
{
	liar->reply.slot++;
}

static void other_instance(struct liar *liar)
{
	liar->reply.instance++;
}

static void no_instance(struct liar *liar)
{
	liar->reply.instance = 0;
}

static void error_with_descriptors(struct liar *liar)
{
	liar->reply.error = -EINVAL;
}

static void error_above_zero(struct liar *liar)
{
	liar->reply.error = INT_MAX;
}

static void short_reply(struct liar *liar)
{
	liar->length = 16;
}

static void empty_reply(struct liar *liar)
{
	liar->length = 0;
}

static void silence(struct liar *liar)
{
	liar->is_silent = true;
}

static void departure(struct liar *liar)
{
	liar->is_departed = true;
}

static void truth(struct liar *liar)
{
	(void)liar;
}

static void region_short(struct liar *liar)
{
	liar->fds[0] = file_make(LENGTH - 4096, 0, 0);
}

static void region_pipe(struct liar *liar)
{
	RIG_CHECK(pipe(liar->fds) == 0);
}

static void offset_at_end(struct liar *liar)
{
	liar->reply.offset = LENGTH;
}

static void offset_beyond(struct liar *liar)
{
	liar->reply.offset = UINT64_MAX - 4095;
}

static void page_size_none(struct liar *liar)
{
	liar->reply.page_size = 0;
}

static void page_size_odd(struct liar *liar)
{
	liar->reply.page_size = 4097;
}

static void page_size_all(struct liar *liar)
{
	liar->reply.page_size = 1ull << 63;
}

static void sysv_none(struct liar *liar)
{
	liar->reply.sysv_id = INT_MAX;
	liar->count = 0;
}

static void sysv_with_descriptor(struct liar *liar)
{
	liar->reply.sysv_id = INT_MAX;
}

/* Attached by nobody, so that it goes with the last who attaches it. */
static void sysv_short(struct liar *liar)
{
	int id = shmget(IPC_PRIVATE, LENGTH - 4096, 0600);
	void *here = shmat(id, NULL, 0);

	RIG_CHECK(id >= 0 && here != (void *)-1 && shmctl(id, IPC_RMID, NULL) == 0);
	liar->reply.sysv_id = id;
	liar->count = 0;
}

static void sysv_offset(struct liar *liar)
{
	int id = shmget(IPC_PRIVATE, LENGTH, 0600);
	void *here = shmat(id, NULL, 0);

	RIG_CHECK(id >= 0 && here != (void *)-1 && shmctl(id, IPC_RMID, NULL) == 0);
	liar->reply.sysv_id = id;
	liar->reply.offset = UINT64_MAX - 4095;
	liar->count = 0;
}

/* Nobody reads from it: a write would be answered with SIGPIPE. */
static void channel_closed(struct liar *liar)
{
	int ends[2];

	RIG_CHECK(pipe(ends) == 0);
	close(ends[0]);
	liar->fds[0] = ends[1];
}

/* A write would wait for ever. */
static void channel_full(struct liar *liar)
{
	char page[4096] = {0};
	int ends[2];

	RIG_CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
	while (write(ends[1], page, sizeof(page)) > 0)
		;
	RIG_CHECK(fcntl(ends[1], F_SETFL, 0) == 0);
	liar->fds[0] = ends[1];
}

static void window_as_it_should_be(struct mw_row *row)
{
	(void)row;
}

static void window_longer(struct mw_row *row)
{
	row->length = 1ull << 46;
}

static void window_ahead(struct mw_row *row)
{
	row->addr = 0;
}

static void window_wraps(struct mw_row *row)
{
	row->addr = UINT64_MAX - 4095;
}

static void window_of_a_window(struct mw_row *row)
{
	row->region = LIAR_WINDOW;
}

static void window_of_no_region(struct mw_row *row)
{
	row->region = LIAR_KEY + 1;
}

static void window_elsewhere(struct mw_row *row)
{
	row->iova = 2 * LENGTH;
}

static void window_of_another_queue(struct mw_row *row)
{
	row->qpn = LIAR_QPN + 1;
}

static void rows_true(struct rows *rows)
{
	(void)rows;
}

static void queue_elsewhere(struct rows *rows)
{
	rows->queue.ring = UINT64_MAX;
}

static void queue_index_wild(struct rows *rows)
{
	rows->qp.receive_queue = rows->srq.receive_queue = UINT32_MAX;
}

static void queue_of_no_end(struct rows *rows)
{
	rows->queue.mask = rows->queue.shift = UINT32_MAX;
	rows->queue.head = UINT32_MAX - 1;
}

static void queue_of_another_life(struct rows *rows)
{
	rows->queue.generation = UINT32_MAX;
	rows->queue.lost = UINT32_MAX;
}

static void queue_below_its_limit(struct rows *rows)
{
	rows->queue.is_shared = UINT32_MAX;
	rows->queue.limit = INT32_MAX;
	rows->queue.posted = 1u << 31;
}

static void queue_held_by_nobody(struct rows *rows)
{
	rows->queue.lock = UINT32_MAX;
}

static void receive_of_many_pieces(struct rows *rows)
{
	rows->receive.sge_count = UINT32_MAX;
}

static void cq_elsewhere(struct rows *rows)
{
	rows->cq.ring = UINT64_MAX;
}

static void cq_of_no_end(struct rows *rows)
{
	rows->cq.mask = rows->cq.capacity = rows->cq.tail = UINT32_MAX;
	rows->cq.head_seen = rows->cq.head = UINT32_MAX;
}

static void cq_without_room(struct rows *rows)
{
	rows->cq.capacity = 0;
}

static void cq_index_wild(struct rows *rows)
{
	rows->qp.receive_cq = rows->srq.cq = UINT32_MAX;
}

static void srq_of_another_number(struct rows *rows)
{
	rows->srq.number++;
}

static void srq_of_another_domain(struct rows *rows)
{
	rows->srq.xrcd.inode++;
}

/* What an initiator is to do with them: a SEND of no bytes. */
#define LIES_OF_ROWS(kind, xrc)                                                                                        \
	{.name = kind ": the truth", .of_rows = rows_true, .is_xrc = xrc, .is_true = true},                            \
		{.name = kind ": a ring beyond the file", .of_rows = queue_elsewhere, .is_xrc = xrc},                  \
		{.name = kind ": an index beyond the table", .of_rows = queue_index_wild, .is_xrc = xrc},              \
		{.name = kind ": a ring of 2^32 entries", .of_rows = queue_of_no_end, .is_xrc = xrc},                  \
		{.name = kind ": a lock that nobody holds", .of_rows = queue_held_by_nobody, .is_xrc = xrc},           \
		{.name = kind ": a receive of 2^32 pieces",                                                            \
		 .of_rows = receive_of_many_pieces,                                                                    \
		 .is_xrc = xrc}, /* What is only the liar's own loss: the message arrives. */                          \
		{.name = kind ": another generation",                                                                  \
		 .of_rows = queue_of_another_life,                                                                     \
		 .is_xrc = xrc,                                                                                        \
		 .is_true = true},                                                                                     \
		{.name = kind ": below its limit", .of_rows = queue_below_its_limit, .is_xrc = xrc, .is_true = true},  \
		{.name = kind ": completions beyond the file",                                                         \
		 .of_rows = cq_elsewhere,                                                                              \
		 .is_xrc = xrc,                                                                                        \
		 .is_true = true},                                                                                     \
		{.name = kind ": 2^32 completions", .of_rows = cq_of_no_end, .is_xrc = xrc, .is_true = true},          \
		{.name = kind ": no room for completions",                                                             \
		 .of_rows = cq_without_room,                                                                           \
		 .is_xrc = xrc,                                                                                        \
		 .is_true = true},                                                                                     \
	{                                                                                                              \
		.name = kind ": a CQ beyond the table", .of_rows = cq_index_wild, .is_xrc = xrc, .is_true = true       \
	}

static const struct lie lies[] = {
	LIES_OF_ROWS("receive queue", false),
	LIES_OF_ROWS("XRC", true),
	{.name = "XRC: another number", .of_rows = srq_of_another_number, .is_xrc = true},
	{.name = "XRC: another domain", .of_rows = srq_of_another_domain, .is_xrc = true},
	{.name = "the truth", .is_true = true},
	{.name = "no descriptor", .of_connection = no_descriptor},
	{.name = "one descriptor of two", .of_connection = one_fewer},
	{.name = "three descriptors for two", .of_connection = one_more},
	{.name = "four descriptors for two", .of_connection = two_more},
	{.name = "files changed about", .of_connection = other_order},
	{.name = "a control file of a page", .of_connection = short_control},
	{.name = "a data file of a page", .of_connection = short_data},
	{.name = "a control file that is cut", .of_connection = control_cut_later},
	{.name = "a data file that is cut", .of_connection = data_cut_later},
	{.name = "a control file to be read only", .of_connection = control_read_only},
	{.name = "pipes", .of_connection = pipes},
	{.name = "a control file of huge pages", .of_connection = control_of_huge_pages},
	{.name = "a data file of huge pages", .of_connection = data_of_huge_pages},
	{.name = "a wrong magic number", .of_connection = wrong_magic},
	{.name = "a wrong version", .of_connection = wrong_version},
	{.name = "another slot", .of_connection = wrong_slot},
	{.name = "no instance", .of_connection = no_instance},
	{.name = "an error and descriptors", .of_connection = error_with_descriptors},
	{.name = "an error above zero", .of_connection = error_above_zero},
	{.name = "half a reply", .of_connection = short_reply},
	{.name = "an empty reply", .of_connection = empty_reply},
	{.name = "a closed connection", .of_connection = departure},
	{.name = "silence", .of_connection = silence, .has_timer = true},
	{.name = "region: the truth", .of_region = truth, .is_true = true},
	{.name = "region: no descriptor", .of_region = no_descriptor},
	{.name = "region: two descriptors", .of_region = one_more},
	{.name = "region: three descriptors", .of_region = two_more},
	{.name = "region: a short file", .of_region = region_short},
	{.name = "region: a pipe", .of_region = region_pipe},
	{.name = "region: begins at the end", .of_region = offset_at_end},
	{.name = "region: begins beyond the end", .of_region = offset_beyond},
	{.name = "region: no page size", .of_region = page_size_none},
	{.name = "region: an odd page size", .of_region = page_size_odd},
	{.name = "region: a page size of 2^63", .of_region = page_size_all},
	{.name = "region: no such segment", .of_region = sysv_none},
	{.name = "region: no such segment, and a descriptor", .of_region = sysv_with_descriptor},
	{.name = "region: a short segment", .of_region = sysv_short},
	{.name = "region: begins beyond the segment", .of_region = sysv_offset},
	{.name = "region: of another process", .of_region = other_instance},
	{.name = "region: silence", .of_region = silence},
	{.name = "window: the truth", .of_window = window_as_it_should_be, .is_true = true},
	{.name = "window: longer than its region", .of_window = window_longer},
	{.name = "window: begins before its region", .of_window = window_ahead},
	{.name = "window: begins at the end of all addresses", .of_window = window_wraps},
	{.name = "window: of a window", .of_window = window_of_a_window},
	{.name = "window: of no region", .of_window = window_of_no_region},
	{.name = "window: named otherwise", .of_window = window_elsewhere},
	{.name = "window: of another queue pair", .of_window = window_of_another_queue},
	{.name = "window: to write, of a region to read", .of_window = window_as_it_should_be, .is_read_only = true},
	/* A message is not the channel's: it arrives, and its receiver is told of it in another way. */
	{.name = "channel: the truth", .of_channel = truth, .is_true = true},
	{.name = "channel: no descriptor", .of_channel = no_descriptor, .is_true = true},
	{.name = "channel: two descriptors", .of_channel = one_more, .is_true = true},
	{.name = "channel: a pipe that nobody reads", .of_channel = channel_closed, .is_true = true},
	{.name = "channel: a full pipe", .of_channel = channel_full, .is_true = true},
	{.name = "channel: of another process", .of_channel = other_instance, .is_true = true},
	{.name = "channel: silence", .of_channel = silence, .is_true = true},
};

/* --- the victim --- */

static unsigned int descriptors_count(void)
{
	unsigned int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void signal_ignore(int signal)
{
	(void)signal;
}

static void timer_start(void)
{
	const struct itimerval often = {{0, 200000}, {0, 200000}};
	const struct sigaction action = {.sa_handler = signal_ignore, .sa_flags = SA_RESTART};

	RIG_CHECK(sigaction(SIGVTALRM, &action, NULL) == 0 && sigaction(SIGALRM, &action, NULL) == 0);
	RIG_CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
}

/* A receive at the far end, or none: a write, whose memory it must get at. */
static int request_run(struct rig_end *end, bool is_send, uint32_t key)
{
	struct ibv_sge sge = {(uint64_t)(uintptr_t)end->buffer, is_send ? 0 : LENGTH, end->mr->lkey};
	struct ibv_send_wr wr = {.opcode = is_send ? IBV_WR_SEND : IBV_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int count;

	wr.wr.rdma.remote_addr = LENGTH;
	wr.wr.rdma.rkey = key;
	wr.qp_type.xrc.remote_srqn = LIAR_QPN;
	if (ibv_post_send(end->qp, &wr, &bad))
		return IBV_WC_GENERAL_ERR;
	while ((count = ibv_poll_cq(end->send_cq, 1, &wc)) == 0)
		;
	RIG_CHECK(count == 1);
	return wc.status;
}

static void victim_run(const struct lie *lie, int pair)
{
	struct ibv_context *first = rig_open_device(); /* what belongs to the process, for as long as it has a device */
	unsigned int before = descriptors_count();
	struct rig_end end;
	char answered;
	int status;

	if (lie->has_timer)
		timer_start();
	rig_end_open(&end, &(struct rig_options){.type = lie->is_xrc ? IBV_QPT_XRC_SEND : IBV_QPT_RC,
						 .rnr_retry = lie->of_rows ? -1 : 0,
						 .all_signalled = true});
	RIG_CHECK(write(pair, &end.qp->qp_num, sizeof(end.qp->qp_num)) == sizeof(end.qp->qp_num));
	rig_end_connect(&end, LIAR_QPN);
	do { /* until the liar has done its worst */
		status = (int)read(pair, &answered, 1);
	} while (status < 0 && errno == EINTR);
	RIG_CHECK(status == 1);
	status = request_run(&end, lie->of_channel || lie->of_rows, lie->of_window ? LIAR_WINDOW : LIAR_KEY);
	if ((status == IBV_WC_SUCCESS) != lie->is_true) {
		fprintf(stderr, "%s: the request ended with %s\n", lie->name, ibv_wc_status_str(status));
		_exit(1);
	}
	rig_end_close(&end);
	if (descriptors_count() != before) {
		fprintf(stderr, "%s: %u descriptors, %u before\n", lie->name, descriptors_count(), before);
		_exit(1);
	}
	RIG_CHECK(ibv_close_device(first) == 0);
	exit(0);
}

static pid_t child_start(void)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

/* False: there is no such file on this system. */
static bool can_lie(const struct lie *lie)
{
	int fd;

	if (lie->of_connection != control_of_huge_pages && lie->of_connection != data_of_huge_pages)
		return true;
	fd = memfd_create("liar", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void lie_tell(void **state)
{
	const struct lie *lie = *state;
	pid_t liar, victim, ended;
	int pair[2], listener, status;

	if (!can_lie(lie))
		skip();
	listener = slot_bind();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	liar = child_start();
	if (liar == 0) {
		close(pair[1]);
		liar_run(lie, listener, pair[0]);
		_exit(1);
	}
	close(pair[0]);
	victim = child_start();
	if (victim == 0) {
		close(listener);
		victim_run(lie, pair[1]);
	}
	close(listener);
	close(pair[1]);
	for (int waited = 0; (ended = waitpid(victim, &status, WNOHANG)) == 0 && waited < LIMIT_S * 100; waited++)
		poll(NULL, 0, 10);
	if (ended == 0) {
		kill(victim, SIGKILL);
		waitpid(victim, NULL, 0);
	}
	kill(liar, SIGKILL);
	waitpid(liar, NULL, 0);
	slots_remove();
	if (ended == 0)
		fail_msg("%s: it waits for ever", lie->name);
	if (status)
		fail_msg("%s: it ended with wait status %#x", lie->name, (unsigned int)status);
}

/* --- the next process in a slot --- */

static void liar_end(pid_t liar, int pair)
{
	kill(liar, SIGKILL);
	RIG_CHECK(waitpid(liar, NULL, 0) == liar);
	close(pair);
}

static pid_t liar_start(const struct lie *lie, int *pair)
{
	int pairs[2], listener = slot_bind();
	pid_t liar;

	RIG_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs) == 0);
	liar = child_start();
	if (liar == 0) {
		close(pairs[1]);
		liar_run(lie, listener, pairs[0]);
		_exit(1);
	}
	close(listener);
	close(pairs[0]);
	*pair = pairs[1];
	return liar;
}

/* One that has not answered is not asked anew for a while. That is not held against who lives there next. */
static void next_in_the_slot_run(void)
{
	static const struct lie silent = {.of_connection = silence}, truthful = {.is_true = true};
	struct rig_end ends[2];
	pid_t liar;
	int pair;

	alarm(LIMIT_S);
	liar = liar_start(&silent, &pair);
	for (int i = 0; i < 2; i++)
		rig_end_open(&ends[i], &(struct rig_options){.type = IBV_QPT_RC, .all_signalled = true});
	RIG_CHECK(write(pair, &ends[0].qp->qp_num, sizeof(uint32_t)) == sizeof(uint32_t));
	rig_end_connect(&ends[0], LIAR_QPN);
	liar_end(liar, pair);
	liar = liar_start(&truthful, &pair);
	RIG_CHECK(write(pair, &ends[1].qp->qp_num, sizeof(uint32_t)) == sizeof(uint32_t));
	rig_end_connect(&ends[1], LIAR_QPN);
	RIG_CHECK(request_run(&ends[1], false, LIAR_KEY) == IBV_WC_SUCCESS);
	for (int i = 0; i < 2; i++)
		rig_end_close(&ends[i]);
	liar_end(liar, pair);
	exit(0);
}

static void next_in_the_slot(void **state)
{
	pid_t child = child_start();
	int status;

	(void)state;
	if (child == 0)
		next_in_the_slot_run();
	assert_int_equal(waitpid(child, &status, 0), child);
	slots_remove();
	assert_int_equal(status, 0);
}

/* --- one that dies in the middle of a message --- */

#define DEAD_INSTANCE 0xdead1u

/* Connects with this very process as one that says that it lives in slot `from`. */
static int own_connect(uint32_t slot, uint32_t from, uint32_t kind)
{
	struct wire_request request = {
		.magic = WIRE_MAGIC, .version = LAYOUT_VERSION, .kind = kind, .slot = from, .instance = DEAD_INSTANCE};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/perftest-soft/%u", getenv("XDG_RUNTIME_DIR"), slot);
	RIG_CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	RIG_CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	return fd;
}

/* The control file of this very process, as a peer maps it; *fd is the connection. */
static uint8_t *own_control(uint32_t slot, uint32_t from, int *fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct wire_reply reply;
	struct iovec part = {&reply, sizeof(reply)};
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof(control.room)};
	void *base;
	int fds[2];

	*fd = own_connect(slot, from, WIRE_CONNECT);
	RIG_CHECK(recvmsg(*fd, &message, 0) == sizeof(reply) && CMSG_FIRSTHDR(&message));
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fds));
	base = mmap(NULL, LAYOUT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fds[0], 0);
	RIG_CHECK(base != MAP_FAILED);
	close(fds[0]);
	close(fds[1]);
	return base;
}

/* How far it came with the message, both locks in its hands. */
enum death { DEATH_BEFORE, DEATH_AFTER_COMPLETION, DEATH_AFTER_TAIL, DEATH_AFTER_HEAD, DEATHS };

static void message_leave(uint8_t *control, uint32_t qpn, uint64_t wr_id, enum death death)
{
	struct qp_row *qp = (struct qp_row *)(void *)(control + LAYOUT_QP_OFFSET) + QPN_INDEX(qpn);
	struct rq_row *queue = (struct rq_row *)(void *)(control + LAYOUT_RQ_OFFSET) + qp->receive_queue;
	struct cq_row *cq = (struct cq_row *)(void *)(control + LAYOUT_CQ_OFFSET) + qp->receive_cq;
	struct cqe *cqe = (struct cqe *)(void *)(control + cq->ring) + (cq->tail & cq->mask);

	queue->lock = cq->lock = DEAD_INSTANCE;
	queue->cq = qp->receive_cq;
	if (death < DEATH_AFTER_COMPLETION)
		return;
	*cqe = (struct cqe){.wr_id = wr_id,
			    .qpn = qpn,
			    .opcode = IBV_WC_RECV,
			    .generation = queue->generation,
			    .queue = qp->receive_queue,
			    .position = queue->head};
	__atomic_store_n(&cqe->stamp, cq->tail + 1, __ATOMIC_RELEASE);
	cq->tail += death >= DEATH_AFTER_TAIL;
	queue->head += death >= DEATH_AFTER_HEAD;
}

/* What it had completed is complete once, and the next message takes the next request. */
static void dead_run(enum death death)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_SEND}, *bad;
	struct rig_options options = {.type = IBV_QPT_RC, .all_signalled = true};
	struct rig_end near, far;
	uint8_t *control;
	int fd;

	alarm(LIMIT_S);
	rig_end_open(&near, &options);
	rig_end_open(&far, &options);
	rig_end_connect(&near, far.qp->qp_num);
	rig_end_connect(&far, near.qp->qp_num);
	for (uint64_t i = 1; i <= 3; i++)
		RIG_CHECK(rig_end_post_receive(&far, i, 0, 8, 0) == 0);
	control = own_control(QPN_SLOT(far.qp->qp_num), 255, &fd);
	message_leave(control, far.qp->qp_num, 1, death);
	close(fd);
	for (uint64_t i = death == DEATH_BEFORE ? 1 : 2; i <= 3; i++) {
		RIG_CHECK(ibv_post_send(near.qp, &wr, &bad) == 0);
		RIG_CHECK(rig_poll(near.send_cq).status == IBV_WC_SUCCESS);
	}
	for (uint64_t i = 1; i <= 3; i++)
		RIG_CHECK(rig_poll(far.receive_cq).wr_id == i);
	RIG_CHECK(rig_is_empty(far.receive_cq));
	munmap(control, LAYOUT_SIZE);
	rig_end_close(&near);
	rig_end_close(&far);
	exit(0);
}

static void dead_is_tidied_up_after(void **state)
{
	int status;

	(void)state;
	for (enum death death = 0; death < DEATHS; death++) {
		pid_t child = child_start();

		if (child == 0)
			dead_run(death);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status)
			slots_remove(); /* the process removes its own */
		if (status)
			fail_msg("death %d: wait status %#x", (int)death, (unsigned int)status);
	}
}

/* How far it came with a message for which the completion queue had no room. */
enum loss { LOSS_SAID, LOSS_TAKEN, LOSS_COUNTED, LOSSES };

static void loss_leave(uint8_t *control, uint32_t qpn, enum loss loss)
{
	struct qp_row *qp = (struct qp_row *)(void *)(control + LAYOUT_QP_OFFSET) + QPN_INDEX(qpn);
	struct rq_row *queue = (struct rq_row *)(void *)(control + LAYOUT_RQ_OFFSET) + qp->receive_queue;
	struct cq_row *cq = (struct cq_row *)(void *)(control + LAYOUT_CQ_OFFSET) + qp->receive_cq;

	queue->lock = cq->lock = DEAD_INSTANCE;
	queue->cq = qp->receive_cq;
	queue->losing = RQ_LOSING(queue->head + 1, queue->lost + 1);
	queue->head += loss >= LOSS_TAKEN;
	queue->lost += loss >= LOSS_COUNTED;
}

/* The place of a request whose completion was lost can be used again, and that of no other. */
static void loss_run(enum loss loss)
{
	struct rig_options options = {.type = IBV_QPT_RC, .all_signalled = true, .depth = 4, .cqe = 4};
	const bool was_taken = loss >= LOSS_TAKEN;
	struct ibv_send_wr wr = {.opcode = IBV_WR_SEND}, *bad;
	struct rig_end near, far;
	uint8_t *control;
	int fd;

	alarm(LIMIT_S);
	rig_end_open(&near, &options);
	rig_end_open(&far, &options);
	rig_end_connect(&near, far.qp->qp_num);
	rig_end_connect(&far, near.qp->qp_num);
	for (uint64_t i = 1; i <= 4; i++)
		RIG_CHECK(rig_end_post_receive(&far, i, 0, 8, 0) == 0);
	RIG_CHECK(rig_end_post_receive(&far, 5, 0, 8, 0) == ENOMEM);
	control = own_control(QPN_SLOT(far.qp->qp_num), 255, &fd);
	loss_leave(control, far.qp->qp_num, loss);
	close(fd);
	/* the first message that comes sees to what the dead one left */
	RIG_CHECK(ibv_post_send(near.qp, &wr, &bad) == 0);
	RIG_CHECK(rig_poll(near.send_cq).status == IBV_WC_SUCCESS);
	RIG_CHECK(rig_end_post_receive(&far, 5, 0, 8, 0) == (was_taken ? 0 : ENOMEM));
	RIG_CHECK(rig_end_post_receive(&far, 6, 0, 8, 0) == ENOMEM);
	RIG_CHECK(rig_poll(far.receive_cq).wr_id == (was_taken ? 2 : 1));
	RIG_CHECK(rig_end_post_receive(&far, 6, 0, 8, 0) == 0);
	RIG_CHECK(rig_end_post_receive(&far, 7, 0, 8, 0) == ENOMEM);
	munmap(control, LAYOUT_SIZE);
	rig_end_close(&near);
	rig_end_close(&far);
	exit(0);
}

static void dead_leaks_no_place(void **state)
{
	int status;

	(void)state;
	for (enum loss loss = 0; loss < LOSSES; loss++) {
		pid_t child = child_start();

		if (child == 0)
			loss_run(loss);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status) {
			slots_remove();
			fail_msg("loss %d: wait status %#x", (int)loss, (unsigned int)status);
		}
	}
}

/* One that says that it lives where no process can: it is sent away, and not looked for there. */
static void slot_beyond_the_table(void **state)
{
	static const uint32_t beyond[] = {256, UINT32_MAX};
	struct rig_end end;

	(void)state;
	alarm(LIMIT_S);
	rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_RC});
	for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
		int fd = own_connect(QPN_SLOT(end.qp->qp_num), beyond[i], WIRE_CONNECT);
		struct wire_reply reply;
		union {
			struct cmsghdr header;
			char room[CMSG_SPACE(2 * sizeof(int))];
		} control;
		struct iovec part = {&reply, sizeof(reply)};
		struct msghdr message = {.msg_iov = &part,
					 .msg_iovlen = 1,
					 .msg_control = control.room,
					 .msg_controllen = sizeof(control.room)};

		assert_int_equal(recvmsg(fd, &message, 0), sizeof(reply));
		assert_int_equal(reply.error, -EINVAL);
		assert_null(CMSG_FIRSTHDR(&message));
		assert_int_equal(recv(fd, &reply, sizeof(reply), 0), 0);
		close(fd);
	}
	rig_end_close(&end);
	alarm(0);
}

/* --- who is asked whether another is stopped --- */

/* The service thread asks the holder of a lock whether it lives: the connection on which it waits for the answer. */
static int question_await(int listener, int connection, uint32_t queue)
{
	const struct notice blocked = {.kind = NOTICE_BLOCKED, .number = queue};
	struct pollfd asked = {.fd = listener, .events = POLLIN};

	/* As a process that is seen to run it is not asked. */
	for (int i = 0; i < LIMIT_S * 50; i++) {
		RIG_CHECK(send(connection, &blocked, sizeof(blocked), 0) == sizeof(blocked));
		if (poll(&asked, 1, 20) == 1)
			return accept(listener, NULL, NULL);
	}
	return -1;
}

static bool question_is_open(int fd)
{
	struct pollfd end = {.fd = fd};

	return poll(&end, 1, 0) == 0;
}

/* While it waits for an answer its own process answers that it lives, and its other threads are not kept waiting. */
static bool asker_lives(struct rig_end *end, int listener, int connection, uint8_t *control)
{
	const struct qp_row *qp = (struct qp_row *)(void *)(control + LAYOUT_QP_OFFSET) + QPN_INDEX(end->qp->qp_num);
	uint32_t index = qp->receive_queue;
	struct rq_row *queue = (struct rq_row *)(void *)(control + LAYOUT_RQ_OFFSET) + index;
	struct wire_reply reply = {
		.magic = WIRE_MAGIC, .version = LAYOUT_VERSION, .slot = LIAR_SLOT, .instance = DEAD_INSTANCE};
	struct ibv_cq *cq;
	int question, own;
	bool lives;

	queue->lock = DEAD_INSTANCE;
	question = question_await(listener, connection, index);
	RIG_CHECK(question >= 0);
	own = own_connect(QPN_SLOT(end->qp->qp_num), 255, WIRE_ALIVE);
	RIG_CHECK(recv(own, &(struct wire_reply){0}, sizeof(reply), 0) == sizeof(reply));
	cq = ibv_create_cq(end->context, 1, NULL, NULL, 0);
	lives = question_is_open(question);
	RIG_CHECK(cq && ibv_destroy_cq(cq) == 0);
	(void)!send(question, &reply, sizeof(reply), MSG_NOSIGNAL);
	queue->lock = 0;
	close(own);
	close(question);
	return lives;
}

static void asker_run(void)
{
	int listener = slot_bind(), connection;
	bool lives = false;
	struct rig_end end;
	uint8_t *control;

	alarm(LIMIT_S);
	rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_RC});
	control = own_control(QPN_SLOT(end.qp->qp_num), LIAR_SLOT, &connection);
	for (int i = 0; i < 5 && !lives; i++) /* the question is open for half a second: too short for a busy host */
		lives = asker_lives(&end, listener, connection, control);
	RIG_CHECK(lives);
	close(connection);
	munmap(control, LAYOUT_SIZE);
	rig_end_close(&end);
	exit(0);
}

static void asker_is_alive(void **state)
{
	pid_t child = child_start();
	int status;

	(void)state;
	if (child == 0)
		asker_run();
	assert_int_equal(waitpid(child, &status, 0), child);
	slots_remove();
	assert_int_equal(status, 0);
}

/* --- who asks another that asks it at the same time --- */

#define ASKED_AGAIN_MS 20
#define ASKED_S	       0.2 /* many times as long as the service thread is away from what waits */

/* In a thread of its own: asks the liar, which does not answer, and waits. */
struct asking {
	struct rig_end *end;
	struct ibv_ah *ah;
	void (*post)(struct asking *asking);
	pthread_t thread;
};

static void datagram_post(struct asking *asking)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_SEND,
				 .wr.ud = {.ah = asking->ah, .remote_qpn = LIAR_QPN, .remote_qkey = RIG_QKEY}};
	struct ibv_send_wr *bad;

	RIG_CHECK(ibv_post_send(asking->end->qp, &wr, &bad) == 0);
}

static void queue_resume(struct asking *asking)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};

	RIG_CHECK(ibv_modify_qp(asking->end->qp, &attr, IBV_QP_STATE) == 0);
}

static void receive_post(struct asking *asking)
{
	RIG_CHECK(rig_end_post_receive(asking->end, 1, 0, 8, 0) == 0);
}

static void *asking_run(void *argument)
{
	struct asking *asking = argument;

	asking->post(asking);
	return NULL;
}

/* Whoever asks this process what others ask of each other is answered before it has its own answer. */
static bool answers_meanwhile(uint32_t slot, int question)
{
	static const uint32_t kinds[] = {WIRE_ALIVE, WIRE_CONNECT, WIRE_CHANNEL, WIRE_REGION};
	const double until = rig_now() + ASKED_S;
	bool is_open = true;

	for (size_t i = 0; is_open && (i < 4 || rig_now() < until); i++) {
		struct wire_reply reply;
		int own = own_connect(slot, 255, kinds[i % 4]);

		RIG_CHECK(recv(own, &reply, sizeof(reply), 0) == sizeof(reply));
		is_open = question_is_open(question);
		close(own);
		poll(NULL, 0, i < 4 ? 0 : ASKED_AGAIN_MS);
	}
	return is_open;
}

enum asker {
	ASKER_SERVICE,	  /* the service thread itself asks */
	ASKER_CONNECTING, /* another thread, and the service thread comes upon what it holds meanwhile: to connect, ...
			   */
	ASKER_RESUMING,	  /* ... the queue pair, ... */
	ASKER_FLUSHING,	  /* ... its receive queue */
	ASKERS
};

static void asking_start(struct asking *asking, void (*post)(struct asking *asking))
{
	asking->post = post;
	RIG_CHECK(pthread_create(&asking->thread, NULL, asking_run, asking) == 0);
}

/* The first datagram is held back for a while, which is a request that the service thread carries out. */
static int connecting_start(struct asking *held, struct asking *asking, int listener)
{
	datagram_post(held);
	if (asking)
		asking_start(asking, datagram_post);
	return accept(listener, NULL, NULL);
}

static int resuming_start(struct asking *asking, int listener)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_SQD};

	RIG_CHECK(ibv_modify_qp(asking->end->qp, &attr, IBV_QP_STATE) == 0);
	datagram_post(asking);
	asking_start(asking, queue_resume);
	return accept(listener, NULL, NULL);
}

/* The liar holds the receive queue of a queue pair that it has broken. */
static int flushing_start(struct asking *asking, int listener, uint8_t *control, int connection)
{
	const uint32_t qpn = asking->end->qp->qp_num;
	struct qp_row *qp = (struct qp_row *)(void *)(control + LAYOUT_QP_OFFSET) + QPN_INDEX(qpn);
	struct rq_row *queue = (struct rq_row *)(void *)(control + LAYOUT_RQ_OFFSET) + qp->receive_queue;
	const struct notice broken = {.kind = NOTICE_QP_ERROR, .number = qpn, .event = NOTICE_SILENT};
	int question;

	queue->lock = DEAD_INSTANCE;
	qp->gate = GATE(ACCEPTS_NOBODY, 0, IBV_QPS_ERR);
	asking_start(asking, receive_post);
	question = accept(listener, NULL, NULL);
	RIG_CHECK(send(connection, &broken, sizeof(broken), 0) == sizeof(broken));
	return question;
}

/* Returns whether it answered while it asked. */
static bool asker_answers(enum asker asker, int listener)
{
	struct rig_options options = {.type = IBV_QPT_UD};
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};
	struct rig_end ends[2];
	struct asking askings[2];
	int question = -1, connection;
	uint8_t *control;
	bool answers;
	uint32_t slot;

	for (int i = 0; i < 2; i++) {
		rig_end_open(&ends[i], &options);
		rig_end_connect(&ends[i], 0);
		askings[i] = (struct asking){.end = &ends[i], .ah = ibv_create_ah(ends[i].pd, &attr)};
		RIG_CHECK(askings[i].ah);
	}
	slot = QPN_SLOT(ends[0].qp->qp_num);
	control = own_control(slot, LIAR_SLOT, &connection);
	if (asker == ASKER_SERVICE)
		question = connecting_start(&askings[0], NULL, listener);
	else if (asker == ASKER_CONNECTING)
		question = connecting_start(&askings[0], &askings[1], listener);
	else if (asker == ASKER_RESUMING)
		question = resuming_start(&askings[1], listener);
	else
		question = flushing_start(&askings[1], listener, control, connection);
	RIG_CHECK(question >= 0);
	answers = answers_meanwhile(slot, question);
	close(listener); /* whoever asks now is refused, and so are they that wait */
	close(question);
	if (askings[1].post)
		pthread_join(askings[1].thread, NULL);
	close(connection);
	for (int i = 0; i < 2; i++) {
		RIG_CHECK(ibv_destroy_ah(askings[i].ah) == 0);
		rig_end_close(&ends[i]);
	}
	munmap(control, LAYOUT_SIZE);
	return answers;
}

static void askers_answer(void **state)
{
	(void)state;
	for (enum asker asker = 0; asker < ASKERS; asker++) {
		bool answers = false;

		/* The shortest question is open for half a second: too short for a busy host. */
		for (int i = 0; i < 5 && !answers; i++) {
			int listener = slot_bind(), status;
			pid_t child = child_start();

			if (child == 0) {
				alarm(LIMIT_S);
				setenv("PERFTEST_SOFT_FAULT", asker <= ASKER_CONNECTING ? "delay:1+100000" : "", 1);
				exit(!asker_answers(asker, listener));
			}
			close(listener);
			assert_int_equal(waitpid(child, &status, 0), child);
			if (!WIFEXITED(status))
				slots_remove(); /* the process removes its own */
			assert_true(WIFEXITED(status));
			answers = status == 0;
		}
		if (!answers)
			fail_msg("asker %d does not answer", (int)asker);
	}
}

/* A state of the group's would take the place of the tests' own. */
static void *directory;

static int directory_make(void **state)
{
	(void)state;
	return rig_directory_make(&directory);
}

static int directory_remove(void **state)
{
	(void)state;
	return rig_directory_remove(&directory);
}

#define LIES (sizeof(lies) / sizeof(lies[0]))

int main(void)
{
	struct CMUnitTest tests[LIES + 6] = {[LIES] = cmocka_unit_test(dead_is_tidied_up_after),
					     cmocka_unit_test(dead_leaks_no_place),
					     cmocka_unit_test(slot_beyond_the_table),
					     cmocka_unit_test(next_in_the_slot),
					     cmocka_unit_test(asker_is_alive),
					     cmocka_unit_test(askers_answer)};

	for (size_t i = 0; i < LIES; i++)
		tests[i] = (struct CMUnitTest){
			.name = lies[i].name, .test_func = lie_tell, .initial_state = (void *)&lies[i]};
	return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
