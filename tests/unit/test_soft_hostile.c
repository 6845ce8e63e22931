// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a process of the same user can do by lying. It writes anything to the tables and rings of two processes that
 * exchange messages, and answers for a slot with wrong files. The others' requests may fail and their messages be
 * corrupted; they must not crash, hang, or allocate memory without bound.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>

#include "host/layout.h"
#include "host/wire.h"
#include "soft_rig.h"
#include "soft_wire.h"

#define ROUNDS	   15
#define STEPS	   40
#define LIMIT_S	   120
#define BUFFER	   (256u << 10)
#define DEPTH	   16
#define ROWS	   64
#define HEAP_BYTES (1u << 20)

/* xorshift64 */
static uint64_t seed = 88172645463325252ull;

static uint64_t random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* --- the victims --- */

/* Where a round's receives are posted. */
enum round_kind { ROUND_OWN, ROUND_SHARED, ROUND_XRC, ROUND_KINDS };

/* What the two victims tell each other. */
struct meeting {
	struct rig_address address; /* of the queue pair that sends */
	uint32_t receiver;	    /* number of the one that receives: the same, but of XRC */
	uint32_t srqn;		    /* of XRC */
};

static int xrcd_fd; /* by which both find their domain */

struct victim {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_mr *implicit; /* all of the address space */
	struct ibv_mw *mw;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;   /* or NULL */
	struct ibv_xrcd *xrcd; /* or NULL */
	struct ibv_qp *qp;
	struct ibv_qp *receiver; /* of XRC; otherwise NULL */
	uint8_t *buffer;
};

static void qp_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIG_ACCESS};

	ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

/* Both halves of XRC, and the queue that the other one names. */
static void victim_open_xrc(struct victim *victim)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = xrcd_fd, .oflags = O_CREAT};
	struct ibv_srq_init_attr_ex shared = {.attr = {.max_wr = DEPTH, .max_sge = 4},
					      .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
							   IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
					      .srq_type = IBV_SRQT_XRC,
					      .pd = victim->pd,
					      .cq = victim->cq};
	struct ibv_qp_init_attr_ex sender = {.qp_type = IBV_QPT_XRC_SEND,
					     .cap = {DEPTH, 0, 4, 0, 64},
					     .sq_sig_all = 1,
					     .comp_mask = IBV_QP_INIT_ATTR_PD,
					     .pd = victim->pd,
					     .send_cq = victim->cq};
	struct ibv_qp_init_attr_ex receiver = {.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD};

	RIG_CHECK((victim->xrcd = ibv_open_xrcd(victim->context, &domain)) != NULL);
	shared.xrcd = receiver.xrcd = victim->xrcd;
	RIG_CHECK((victim->srq = ibv_create_srq_ex(victim->context, &shared)) != NULL);
	RIG_CHECK((victim->qp = ibv_create_qp_ex(victim->context, &sender)) != NULL);
	RIG_CHECK((victim->receiver = ibv_create_qp_ex(victim->context, &receiver)) != NULL);
	qp_init(victim->receiver);
}

static void victim_open(struct victim *victim, enum round_kind kind)
{
	struct ibv_srq_init_attr shared = {.attr = {.max_wr = DEPTH, .max_sge = 4}};
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .cap = {DEPTH, DEPTH, 4, 4, 64}, .sq_sig_all = 1};

	RIG_CHECK((victim->pd = ibv_alloc_pd(victim->context)) != NULL);
	RIG_CHECK((victim->mr = ibv_reg_mr(victim->pd, victim->buffer, BUFFER, RIG_ACCESS | IBV_ACCESS_MW_BIND)) !=
		  NULL);
	RIG_CHECK((victim->implicit = ibv_reg_mr(victim->pd, NULL, SIZE_MAX, RIG_ACCESS | IBV_ACCESS_ON_DEMAND)) !=
		  NULL);
	RIG_CHECK((victim->mw = ibv_alloc_mw(victim->pd, IBV_MW_TYPE_1)) != NULL);
	RIG_CHECK((victim->channel = ibv_create_comp_channel(victim->context)) != NULL);
	RIG_CHECK(fcntl(victim->channel->fd, F_SETFL, O_NONBLOCK) == 0);
	RIG_CHECK((victim->cq = ibv_create_cq(victim->context, 4 * DEPTH, NULL, victim->channel, 0)) != NULL);
	victim->srq = NULL;
	victim->xrcd = NULL;
	victim->receiver = NULL;
	if (kind == ROUND_XRC) {
		victim_open_xrc(victim);
	} else {
		RIG_CHECK(kind == ROUND_OWN || (victim->srq = ibv_create_srq(victim->pd, &shared)) != NULL);
		init.send_cq = init.recv_cq = victim->cq;
		init.srq = victim->srq;
		RIG_CHECK((victim->qp = ibv_create_qp(victim->pd, &init)) != NULL);
	}
	qp_init(victim->qp);
}

/* By which key the other one writes; that of the window is the one that it will be bound with. */
static uint32_t victim_key(const struct victim *victim, int round)
{
	switch (round / ROUND_KINDS % 3) {
	case 0:
		return victim->mr->rkey;
	case 1:
		return ibv_inc_rkey(victim->mw->rkey);
	default:
		return victim->implicit->rkey;
	}
}

static void victim_bind(struct victim *victim)
{
	struct ibv_mw_bind bind = {.bind_info = {.mr = victim->mr,
						 .addr = (uint64_t)(uintptr_t)victim->buffer,
						 .length = BUFFER,
						 .mw_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
								    IBV_ACCESS_REMOTE_ATOMIC}};

	ibv_bind_mw(victim->qp, victim->mw, &bind);
}

static void qp_connect(struct ibv_qp *qp, uint32_t qpn)
{
	const struct rig_steps steps = {
		.qpn = qpn,
		.reads = 1,
		.rnr_timer = 1,
		.timeout = 8,
		.retry_cnt = 1,
		.rnr_retry = 1,
		.stays_in_rtr = qp->qp_type == IBV_QPT_XRC_RECV,
	};

	/* The state may have been written to: then it is refused. */
	(void)rig_qp_connect(qp, &steps);
}

/* Each of these looks at the row of the queue. */
static void victim_share(struct victim *victim, struct ibv_recv_wr *receive)
{
	struct ibv_srq_attr attr = {.max_wr = random_word() % 2 ? DEPTH : 2 * DEPTH, .srq_limit = DEPTH / 2};
	struct ibv_recv_wr *bad;

	ibv_post_srq_recv(victim->srq, receive, &bad);
	if (random_word() % 4 == 0)
		ibv_modify_srq(victim->srq, &attr, random_word() % 2 ? IBV_SRQ_LIMIT : IBV_SRQ_MAX_WR);
	ibv_query_srq(victim->srq, &attr);
}

static void victim_step(struct victim *victim, const struct meeting *there)
{
	const struct rig_address *far = &there->address;
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND,	  IBV_WR_SEND_WITH_IMM,	      IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_ATOMIC_FETCH_AND_ADD};
	uint32_t length = (uint32_t)(random_word() % 8192);
	struct ibv_sge sge = {(uint64_t)(uintptr_t)victim->buffer, length, victim->mr->lkey};
	struct ibv_recv_wr receive = {.wr_id = 1, .sg_list = &sge, .num_sge = 1}, *bad_receive;
	struct ibv_send_wr send = {.wr_id = 2, .sg_list = &sge, .num_sge = 1}, *bad_send;
	struct ibv_wc wc[DEPTH];
	struct ibv_cq *cq;
	void *context;

	send.opcode = opcodes[random_word() % (sizeof(opcodes) / sizeof(opcodes[0]))];
	send.wr.rdma.remote_addr = far->addr;
	send.wr.rdma.rkey = far->rkey;
	if (send.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		sge.length = 8;
		send.wr.atomic.remote_addr = far->addr;
		send.wr.atomic.rkey = far->rkey;
	}
	if (victim->receiver)
		send.qp_type.xrc.remote_srqn = there->srqn;
	ibv_post_send(victim->qp, &send, &bad_send);
	sge.length = 8192;
	if (random_word() % 2)
		sge.lkey = victim->implicit->lkey;
	if (victim->srq)
		victim_share(victim, &receive);
	else
		ibv_post_recv(victim->qp, &receive, &bad_receive);
	ibv_req_notify_cq(victim->cq, 0);
	ibv_poll_cq(victim->cq, DEPTH, wc);
	if (ibv_get_cq_event(victim->channel, &cq, &context) == 0)
		ibv_ack_cq_events(cq, 1);
}

static void victim_close(struct victim *victim)
{
	struct ibv_qp_attr attr = {.qp_state = random_word() % 2 ? IBV_QPS_ERR : IBV_QPS_RESET};

	ibv_modify_qp(victim->qp, &attr, IBV_QP_STATE);
	RIG_CHECK(ibv_destroy_qp(victim->qp) == 0);
	RIG_CHECK(!victim->receiver || ibv_destroy_qp(victim->receiver) == 0);
	RIG_CHECK(!victim->srq || ibv_destroy_srq(victim->srq) == 0);
	RIG_CHECK(!victim->xrcd || ibv_close_xrcd(victim->xrcd) == 0);
	RIG_CHECK(ibv_destroy_cq(victim->cq) == 0);
	RIG_CHECK(ibv_destroy_comp_channel(victim->channel) == 0);
	RIG_CHECK(ibv_dealloc_mw(victim->mw) == 0);
	RIG_CHECK(ibv_dereg_mr(victim->implicit) == 0);
	RIG_CHECK(ibv_dereg_mr(victim->mr) == 0);
	RIG_CHECK(ibv_dealloc_pd(victim->pd) == 0);
}

/* One of two; they tell each other where to send to by `fd`. */
static void victim_run(int fd)
{
	struct victim victim = {0};
	struct meeting near, far;
	struct ibv_async_event event;

	alarm(LIMIT_S);
	seed += (uint64_t)getpid();
	victim.context = rig_open_device();
	RIG_CHECK(fcntl(victim.context->async_fd, F_SETFL, O_NONBLOCK) == 0);
	victim.buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int round = 0; round < ROUNDS; round++) {
		victim_open(&victim, (enum round_kind)(round % ROUND_KINDS));
		near = (struct meeting){
			.address = {victim.qp->qp_num, victim_key(&victim, round), (uint64_t)(uintptr_t)victim.buffer},
			.receiver = victim.qp->qp_num};
		if (victim.receiver) {
			near.receiver = victim.receiver->qp_num;
			ibv_get_srq_num(victim.srq, &near.srqn);
		}
		RIG_CHECK(write(fd, &near, sizeof(near)) == sizeof(near));
		RIG_CHECK(read(fd, &far, sizeof(far)) == sizeof(far));
		if (victim.receiver)
			qp_connect(victim.receiver, far.address.qpn);
		qp_connect(victim.qp, far.receiver);
		victim_bind(&victim);
		for (int i = 0; i < STEPS; i++) {
			victim_step(&victim, &far);
			usleep(i % 16 ? 0 : 100); /* so that the hostile one has the CPU as well */
		}
		while (ibv_get_async_event(victim.context, &event) == 0)
			ibv_ack_async_event(&event);
		victim_close(&victim);
	}
	RIG_CHECK(ibv_close_device(victim.context) == 0);
	_exit(0);
}

/* --- the hostile one --- */

/* Rows are given out in order, a few a round; most lies are about those in use. */
static uint64_t place_of(uint64_t area, uint64_t row)
{
	switch (area) {
	case 0:
	case 4:
	case 5:
		return LAYOUT_MR_OFFSET + row % ROWS * sizeof(struct mr_row) + random_word() % sizeof(struct mr_row);
	case 1:
		return LAYOUT_QP_OFFSET + row % ROWS * sizeof(struct qp_row) + random_word() % sizeof(struct qp_row);
	case 2:
		return LAYOUT_CQ_OFFSET + row % ROWS * sizeof(struct cq_row) + random_word() % sizeof(struct cq_row);
	case 7:
	case 8:
		return LAYOUT_RQ_OFFSET + row % ROWS * sizeof(struct rq_row) + random_word() % sizeof(struct rq_row);
	case 9:
		return LAYOUT_SRQ_OFFSET + row % ROWS * sizeof(struct srq_row) + random_word() % sizeof(struct srq_row);
	case 6:
		return LAYOUT_MW_OFFSET + row % ROWS * sizeof(struct mw_row) + random_word() % sizeof(struct mw_row);
	default:
		return LAYOUT_HEAP_OFFSET + random_word() % HEAP_BYTES;
	}
}

static uint32_t lie_about(uint32_t truth)
{
	switch (random_word() % 6) {
	case 0:
		return 0;
	case 1:
		return UINT32_MAX;
	case 2:
		return truth ^ 1u << random_word() % 32;
	case 3:
		return truth + 1;
	case 4:
		return (uint32_t)(random_word() % 64);
	default:
		return (uint32_t)random_word();
	}
}

static void hostile_run(void)
{
	uint8_t *maps[8];
	size_t count = 0;
	char folder[256];
	int fd = -1;

	alarm(LIMIT_S);
	snprintf(folder, sizeof(folder), "%s/perftest-soft", getenv("XDG_RUNTIME_DIR"));
	while (count < 2) {
		DIR *directory = opendir(folder);
		struct dirent *entry;

		for (count = 0; directory && (entry = readdir(directory)) && count < 8;) {
			fd = entry->d_name[0] == '.' ? -1 : slot_connect(entry->d_name);
			if (fd >= 0 && (maps[count] = control_map(fd, NO_SLOT, (uint32_t)random_word() | 1)) != NULL)
				count++;
		}
		if (directory)
			closedir(directory);
	}
	for (uint64_t i = 0;; i++) {
		uint64_t place = place_of(random_word() % 10, random_word()) & ~3ull;
		uint32_t *word = (uint32_t *)(void *)(maps[random_word() % count] + place);

		__atomic_store_n(word, lie_about(*word), __ATOMIC_RELAXED);
		/* The upper half of every registration's address: whoever reads it writes to nowhere. */
		for (uint64_t row = 0; i % 64 == 0 && row < ROWS; row++) {
			place = LAYOUT_MR_OFFSET + row * sizeof(struct mr_row) + offsetof(struct mr_row, addr) + 4;
			word = (uint32_t *)(void *)(maps[random_word() % count] + place);
			__atomic_store_n(word, *word ^ 1u << 10, __ATOMIC_RELAXED);
		}
		if (i % 64 == 0) {
			uint32_t words[16];

			for (int w = 0; w < 16; w++)
				words[w] = lie_about((uint32_t)random_word() % 8);
			send(fd, words, random_word() % 2 ? sizeof(struct notice) : random_word() % sizeof(words),
			     MSG_DONTWAIT | MSG_NOSIGNAL);
		}
		/* Not so much at once that the first check of all ends everything. */
		if (i % 4 == 0)
			usleep((useconds_t)(random_word() % 100));
	}
}

TEST(writer_into_everything)
{
	pid_t victims[2], hostile;
	int pair[2], status;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	xrcd_fd = memfd_create("xrcd", MFD_CLOEXEC);
	assert_true(xrcd_fd >= 0);
	for (int i = 0; i < 2; i++) {
		victims[i] = child_start();
		if (victims[i] == 0) {
			close(pair[!i]);
			victim_run(pair[i]);
		}
	}
	close(pair[0]);
	close(pair[1]);
	hostile = child_start();
	if (hostile == 0)
		hostile_run();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(waitpid(victims[i], &status, 0), victims[i]);
		if (status)
			fail_msg("a victim ended with wait status %#x", (unsigned int)status);
	}
	kill(hostile, SIGKILL);
	waitpid(hostile, NULL, 0);
	close(xrcd_fd);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
