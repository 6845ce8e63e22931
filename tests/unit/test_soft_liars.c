// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What happens to a process that connects to a slot with a lying process of the same user. The liar speaks wire.h by
 * hand and answers with too many descriptors or none, wrong files, false numbers, or not at all. Requests to it must
 * end with an error, and leak no descriptor and no wait.
 */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/shm.h>
#include <sys/time.h>

#include "host/layout.h"
#include "host/wire.h"
#include "soft_rig.h"
#include "soft_wire.h"

#define LIAR_INSTANCE 0x11a21a2u
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

static void lie_run(void **state)
{
	const struct lie *lie = *state;
	pid_t liar, victim, ended;
	int pair, status;

	if (!can_lie(lie))
		skip();
	liar = liar_start(lie, &pair);
	victim = child_start();
	if (victim == 0)
		victim_run(lie, pair);
	for (int waited = 0; (ended = waitpid(victim, &status, WNOHANG)) == 0 && waited < LIMIT_S * 100; waited++)
		poll(NULL, 0, 10);
	if (ended == 0) {
		kill(victim, SIGKILL);
		waitpid(victim, NULL, 0);
	}
	liar_end(liar, pair);
	slots_remove();
	if (ended == 0)
		fail_msg("%s: it waits for ever", lie->name);
	if (status)
		fail_msg("%s: it ended with wait status %#x", lie->name, (unsigned int)status);
}

/* --- the next process in a slot --- */

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

	if (child == 0)
		next_in_the_slot_run();
	assert_int_equal(waitpid(child, &status, 0), child);
	slots_remove();
	assert_int_equal(status, 0);
}

/* One that says that it lives where no process can: it is sent away, and not looked for there. */
static void slot_beyond_the_table(void **state)
{
	static const uint32_t beyond[] = {256, UINT32_MAX};
	struct rig_end end;

	alarm(LIMIT_S);
	rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_RC});
	for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
		int fd = own_ask(QPN_SLOT(end.qp->qp_num), beyond[i], WIRE_CONNECT);
		struct wire_reply reply;
		int fds[2], count;

		assert_true(reply_receive(fd, &reply, fds, &count));
		assert_int_equal(reply.error, -EINVAL);
		assert_int_equal(count, 0);
		assert_int_equal(recv(fd, &reply, sizeof(reply), 0), 0);
		close(fd);
	}
	rig_end_close(&end);
	alarm(0);
}

#define LIES (sizeof(lies) / sizeof(lies[0]))

int main(void)
{
	/* The last one opens a device in this process; a child that is forked then drops what its parent has of it. */
	struct CMUnitTest tests[LIES + 2] = {[LIES] = cmocka_unit_test(next_in_the_slot),
					     cmocka_unit_test(slot_beyond_the_table)};

	for (size_t i = 0; i < LIES; i++)
		tests[i] = (struct CMUnitTest){
			.name = lies[i].name, .test_func = lie_run, .initial_state = (void *)&lies[i]};
	return cmocka_run_group_tests(tests, slots_directory_make, slots_directory_remove);
}
