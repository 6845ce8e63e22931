// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a sender leaves that is stopped, or killed, at any instruction of a message; it is single-stepped there. The
 * owner of the queue must be able to destroy it at once, each request must complete once, and none may be lost.
 * SOFT_STEPS=1 in the environment stops at each instruction, N at each Nth one, starting from a random one.
 */
#define _GNU_SOURCE
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/prctl.h>

#include "soft_led.h"
#include "soft_rig.h"

#if defined(RIG_HAS_ASAN)
#define STRIDE 1999 /* a check to each access */
#else
#define STRIDE 97 /* instructions from one point to the next */
#endif
#define LIMIT_S	  60 /* of one point: who waits for a lock by then waits for ever */
#define DEPTH	  8
#define LENGTH	  64u
#define HEADER	  40u /* of a datagram */
#define SLOT	  128u
#define STEPS_MAX 100000 /* of a message */

static const struct {
	const char *name;
	enum ibv_qp_type sender, receiver;
	bool is_shared;
} kinds[] = {
	{"RC", IBV_QPT_RC, IBV_QPT_RC, false},
	{"UC", IBV_QPT_UC, IBV_QPT_UC, false},
	{"UD", IBV_QPT_UD, IBV_QPT_UD, false},
	{"RC, a shared queue", IBV_QPT_RC, IBV_QPT_RC, true},
	{"UC, a shared queue", IBV_QPT_UC, IBV_QPT_UC, true},
	{"XRC", IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV, true},
};

/* --- queue pairs of any type --- */

struct end {
	enum ibv_qp_type type;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_ah *ah;
	uint8_t *buffer;
};

/* What a sender is told; with a length it is to write so much there. */
struct target {
	uint32_t qpn, srqn;
	uint32_t length, rkey;
	uint64_t addr;
};

static void end_open(struct end *end, enum ibv_qp_type type)
{
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};

	*end = (struct end){.type = type, .context = rig_open_device()};
	RIG_CHECK((end->pd = ibv_alloc_pd(end->context)) != NULL);
	end->buffer = mmap(NULL, RIG_BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	RIG_CHECK(end->buffer != MAP_FAILED);
	RIG_CHECK((end->mr = ibv_reg_mr(end->pd, end->buffer, RIG_BUFFER, RIG_ACCESS)) != NULL);
	if (type == IBV_QPT_UD)
		RIG_CHECK((end->ah = ibv_create_ah(end->pd, &attr)) != NULL);
}

static void end_close(struct end *end)
{
	RIG_CHECK(!end->ah || ibv_destroy_ah(end->ah) == 0);
	RIG_CHECK(ibv_dereg_mr(end->mr) == 0);
	RIG_CHECK(ibv_dealloc_pd(end->pd) == 0);
	RIG_CHECK(ibv_close_device(end->context) == 0);
	munmap(end->buffer, RIG_BUFFER);
}

static struct ibv_qp *step_qp_make(const struct end *end, enum ibv_qp_type type, struct ibv_cq *cq, struct ibv_srq *srq,
				   struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex init = {.qp_type = type,
					   .send_cq = cq,
					   .recv_cq = cq,
					   .srq = srq,
					   .pd = end->pd,
					   .xrcd = xrcd,
					   .sq_sig_all = 1,
					   .cap = {1, srq ? 0 : DEPTH, 1, 1, 0},
					   .comp_mask = type == IBV_QPT_XRC_RECV ? IBV_QP_INIT_ATTR_XRCD
										 : IBV_QP_INIT_ATTR_PD};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIG_ACCESS, .qkey = RIG_QKEY};
	struct ibv_qp *qp;

	if (type == IBV_QPT_XRC_SEND) {
		init.recv_cq = NULL;
		init.cap.max_recv_wr = 0;
	}
	if (type == IBV_QPT_XRC_RECV)
		init = (struct ibv_qp_init_attr_ex){.qp_type = type, .xrcd = xrcd, .comp_mask = init.comp_mask};
	RIG_CHECK((qp = ibv_create_qp_ex(end->context, &init)) != NULL);
	RIG_CHECK(ibv_modify_qp(qp, &attr,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					(type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)) == 0);
	return qp;
}

static void step_qp_connect(struct ibv_qp *qp, uint32_t qpn)
{
	const struct rig_steps steps = {
		.qpn = qpn, .reads = 1, .rnr_timer = 1, .timeout = 8, .retry_cnt = 1, .rnr_retry = 7};

	RIG_CHECK(rig_qp_connect(qp, &steps) == 0);
}

/* --- the sender --- */

static __attribute__((noinline)) void message_posted(void)
{
	__asm__ __volatile__("" ::: "memory");
}

static __attribute__((noinline)) void message_post(const struct end *end, struct ibv_qp *qp,
						   const struct target *target, bool is_led)
{
	struct ibv_sge sge = {(uintptr_t)end->buffer + RIG_BUFFER / 2, LENGTH, end->mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;

	if (end->type == IBV_QPT_UD) {
		wr.wr.ud.ah = end->ah;
		wr.wr.ud.remote_qpn = target->qpn;
		wr.wr.ud.remote_qkey = RIG_QKEY;
	}
	wr.qp_type.xrc.remote_srqn = target->srqn;
	if (target->length) {
		wr.opcode = IBV_WR_RDMA_WRITE;
		sge.length = target->length;
		wr.wr.rdma.remote_addr = target->addr;
		wr.wr.rdma.rkey = target->rkey;
	}
	if (is_led)
		raise(SIGTRAP);
	RIG_CHECK(ibv_post_send(qp, &wr, &bad) == 0);
	message_posted();
}

/* For each target a queue pair, a message, and one for which it is led. */
static void sender_run(int fd, enum ibv_qp_type type)
{
	struct target target;
	struct end end;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	end_open(&end, type);
	for (;;) {
		struct ibv_cq *cq = ibv_create_cq(end.context, 2, NULL, NULL, 0);
		struct ibv_qp *qp = step_qp_make(&end, type, cq, NULL, NULL);
		int status;

		RIG_CHECK(write(fd, &qp->qp_num, sizeof(qp->qp_num)) == sizeof(qp->qp_num));
		if (read(fd, &target, sizeof(target)) != sizeof(target))
			_exit(0);
		step_qp_connect(qp, target.qpn);
		message_post(&end, qp, &target, false);
		RIG_CHECK(rig_poll(cq).status == IBV_WC_SUCCESS);
		RIG_CHECK(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
		message_post(&end, qp, &target, true);
		status = (int)rig_poll(cq).status;
		RIG_CHECK(write(fd, &status, sizeof(status)) == sizeof(status));
		RIG_CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(cq) == 0);
	}
}

struct led {
	pid_t pid;
	int fd;
};

static void led_start(struct led *led, enum ibv_qp_type type)
{
	int pair[2];

	RIG_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	led->pid = fork();
	RIG_CHECK(led->pid >= 0);
	if (led->pid == 0) {
		close(pair[0]);
		sender_run(pair[1], type);
	}
	close(pair[1]);
	led->fd = pair[0];
}

static void led_await(const struct led *led, int signal)
{
	int status;

	RIG_CHECK(waitpid(led->pid, &status, WUNTRACED) == led->pid);
	RIG_CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == signal);
}

static void led_kill(struct led *led)
{
	kill(led->pid, SIGKILL);
	waitpid(led->pid, NULL, 0);
	close(led->fd);
}

/* So many instructions of the device further on, and how many those are. False: it has posted before that. */
static bool led_on(const struct led *led, long steps, long *taken)
{
	uintptr_t at = led_at(led->pid);

	*taken = 0;
	for (long i = 0; i < STEPS_MAX && *taken < steps; i++) {
		RIG_CHECK(ptrace(PTRACE_SINGLESTEP, led->pid, NULL, NULL) == 0);
		led_await(led, SIGTRAP);
		at = led_at(led->pid);
		if (at == (uintptr_t)message_posted)
			return false;
		*taken += is_in_device(at);
	}
	RIG_CHECK(*taken == steps);
	return true;
}

/* --- the owner of the queue --- */

struct owner {
	size_t kind;
	struct end end;
	struct ibv_xrcd *xrcd;
	struct ibv_srq *srq;
	struct ibv_cq *cq, *own_cq;
	struct ibv_qp *qp, *own_sender, *own_receiver; /* a sender of our own to the same queue; NULL */
	struct target own_target;
	bool is_posted[DEPTH];
};

static void receives_post(struct owner *owner)
{
	for (uint64_t i = 0; i < DEPTH; i++) {
		struct ibv_sge sge = {(uintptr_t)owner->end.buffer + i * SLOT, LENGTH + HEADER, owner->end.mr->lkey};
		struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1}, *bad;

		if (owner->is_posted[i])
			continue;
		owner->is_posted[i] = true;
		assert_int_equal(
			owner->srq ? ibv_post_srq_recv(owner->srq, &wr, &bad) : ibv_post_recv(owner->qp, &wr, &bad), 0);
	}
}

static void queue_make(struct owner *owner)
{
	struct ibv_srq_init_attr_ex init = {.attr = {.max_wr = DEPTH, .max_sge = 1},
					    .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
					    .srq_type = IBV_SRQT_BASIC,
					    .pd = owner->end.pd,
					    .xrcd = owner->xrcd,
					    .cq = owner->cq};

	if (owner->xrcd) {
		init.srq_type = IBV_SRQT_XRC;
		init.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	}
	assert_non_null(owner->srq = ibv_create_srq_ex(owner->end.context, &init));
	if (owner->xrcd)
		assert_int_equal(ibv_get_srq_num(owner->srq, &owner->own_target.srqn), 0);
}

/* A queue pair for the sender `qpn`, all of its queue posted; and a sender of our own where it may be sent to by
 * others. */
static void owner_begin(struct owner *owner, uint32_t qpn)
{
	const enum ibv_qp_type receiver = kinds[owner->kind].receiver, sender = kinds[owner->kind].sender;

	memset(owner->is_posted, 0, sizeof(owner->is_posted));
	assert_non_null(owner->cq = ibv_create_cq(owner->end.context, 2 * DEPTH, NULL, NULL, 0));
	assert_non_null(owner->own_cq = ibv_create_cq(owner->end.context, 2, NULL, NULL, 0));
	if (kinds[owner->kind].is_shared)
		queue_make(owner);
	owner->qp = step_qp_make(&owner->end, receiver, owner->cq, owner->srq, owner->xrcd);
	step_qp_connect(owner->qp, qpn);
	if (kinds[owner->kind].is_shared) {
		owner->own_sender = step_qp_make(&owner->end, sender, owner->own_cq, NULL, NULL);
		owner->own_receiver = step_qp_make(&owner->end, receiver, owner->cq, owner->srq, owner->xrcd);
		step_qp_connect(owner->own_sender, owner->own_receiver->qp_num);
		step_qp_connect(owner->own_receiver, owner->own_sender->qp_num);
	} else if (sender == IBV_QPT_UD) {
		owner->own_sender = step_qp_make(&owner->end, sender, owner->own_cq, NULL, NULL);
		step_qp_connect(owner->own_sender, 0);
		owner->own_target.qpn = owner->qp->qp_num;
	}
	receives_post(owner);
}

static void owner_end(struct owner *owner)
{
	struct ibv_qp **qps[] = {&owner->qp, &owner->own_sender, &owner->own_receiver};

	for (int i = 0; i < 3; i++) {
		if (*qps[i])
			assert_int_equal(ibv_destroy_qp(*qps[i]), 0);
		*qps[i] = NULL;
	}
	if (owner->srq)
		assert_int_equal(ibv_destroy_srq(owner->srq), 0);
	owner->srq = NULL;
	assert_int_equal(ibv_destroy_cq(owner->cq), 0);
	assert_int_equal(ibv_destroy_cq(owner->own_cq), 0);
}

static void owner_open(struct owner *owner, size_t kind)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT};

	*owner = (struct owner){.kind = kind};
	end_open(&owner->end, kinds[kind].sender);
	if (kinds[kind].receiver == IBV_QPT_XRC_RECV)
		assert_non_null(owner->xrcd = ibv_open_xrcd(owner->end.context, &attr));
}

static void owner_close(struct owner *owner)
{
	if (owner->xrcd)
		assert_int_equal(ibv_close_xrcd(owner->xrcd), 0);
	end_close(&owner->end);
}

/* A request completes once. Its status. */
static enum ibv_wc_status receive_take(struct owner *owner, const struct ibv_wc *wc)
{
	assert_in_range(wc->wr_id, 0, DEPTH - 1);
	assert_true(owner->is_posted[wc->wr_id]);
	owner->is_posted[wc->wr_id] = false;
	return wc->status;
}

/* Connects, lets the first message pass, and leads the second as far as that. False: it ended before. */
static bool led_begin(struct owner *owner, const struct led *led, long steps, long *taken)
{
	struct target target;
	struct ibv_wc wc;
	uint32_t qpn;

	RIG_CHECK(read(led->fd, &qpn, sizeof(qpn)) == sizeof(qpn));
	owner_begin(owner, qpn);
	target = (struct target){.qpn = owner->qp->qp_num, .srqn = owner->own_target.srqn};
	RIG_CHECK(write(led->fd, &target, sizeof(target)) == sizeof(target));
	wc = rig_poll(owner->cq);
	assert_int_equal(receive_take(owner, &wc), IBV_WC_SUCCESS);
	receives_post(owner);
	led_await(led, SIGTRAP);
	return led_on(led, steps, taken);
}

/* What comes of the queue by itself: at most one message. */
static int messages_take(struct owner *owner)
{
	struct ibv_wc wc;
	int count = 0;

	while (ibv_poll_cq(owner->cq, 1, &wc) == 1) {
		assert_int_equal(receive_take(owner, &wc), IBV_WC_SUCCESS);
		count++;
	}
	return count;
}

/* The queue pair's own requests, in the order in which they were posted; none while a stopped sender has a lock. */
static int flushed_take(struct owner *owner)
{
	struct ibv_wc wc;
	int count = 0;

	for (; ibv_poll_cq(owner->cq, 1, &wc) == 1; count++)
		assert_int_equal(receive_take(owner, &wc), IBV_WC_WR_FLUSH_ERR);
	return count;
}

/*
 * The sender has stored the completion, which the program has polled, and was stopped before it took the request off
 * the queue: that request must not be flushed as well. (It was.)
 */
static void stopped_behind_its_completion(struct owner *owner, long stride)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	struct led led;
	long taken;
	int status;

	alarm(LIMIT_S);
	led_start(&led, kinds[owner->kind].sender);
	assert_true(led_begin(owner, &led, 0, &taken));
	while (messages_take(owner) == 0)
		assert_true(led_on(&led, 1, &taken));
	RIG_CHECK(ptrace(PTRACE_DETACH, led.pid, NULL, SIGSTOP) == 0);
	led_await(&led, SIGSTOP);
	assert_int_equal(ibv_modify_qp(owner->qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(flushed_take(owner), 0);
	kill(led.pid, SIGCONT);
	RIG_CHECK(read(led.fd, &status, sizeof(status)) == sizeof(status));
	assert_int_equal(flushed_take(owner), owner->srq ? 0 : DEPTH - 1);
	owner_end(owner);
	led_kill(&led);
}

/* Its sender is stopped. The owner ends the queue pair in one way or another, and then all that belongs to it. */
static void stopped_is_ended(struct owner *owner, long way)
{
	struct ibv_qp_attr attr = {.qp_state = way % 3 ? IBV_QPS_ERR : IBV_QPS_RESET};
	int taken = messages_take(owner), flushed;

	assert_in_range(taken, 0, 1);
	if (way % 3 < 2)
		assert_int_equal(ibv_modify_qp(owner->qp, &attr, IBV_QP_STATE), 0);
	flushed = flushed_take(owner);
	assert_true(!flushed || (way % 3 == 1 && !owner->srq && flushed == DEPTH - taken));
	owner_end(owner);
}

static void stopped_at_any_step(struct owner *owner, long stride)
{
	long length = LONG_MAX, taken;
	struct led led;

	led_start(&led, kinds[owner->kind].sender);
	for (long steps = getpid() % stride; steps < length; steps += stride) {
		bool is_there;
		int status;

		alarm(LIMIT_S);
		is_there = led_begin(owner, &led, steps, &taken);
		if (is_there) {
			RIG_CHECK(ptrace(PTRACE_DETACH, led.pid, NULL, SIGSTOP) == 0);
			led_await(&led, SIGSTOP);
			stopped_is_ended(owner, steps / stride);
			kill(led.pid, SIGCONT);
		} else {
			length = taken;
			RIG_CHECK(ptrace(PTRACE_DETACH, led.pid, NULL, NULL) == 0);
		}
		RIG_CHECK(read(led.fd, &status, sizeof(status)) == sizeof(status));
		if (!is_there)
			owner_end(owner);
	}
	print_message("%s: %ld instructions, from %ld on\n", kinds[owner->kind].name, length, getpid() % stride);
	led_kill(&led);
}

/* The rest of a queue that others may send to is there for them, and all its room. */
static void rest_is_there(struct owner *owner, int left)
{
	for (int round = 0; round < 2; round++) {
		while (left--) {
			struct ibv_wc wc;

			message_post(&owner->end, owner->own_sender, &owner->own_target, false);
			wc = rig_poll(owner->cq);
			assert_int_equal(receive_take(owner, &wc), IBV_WC_SUCCESS);
			assert_int_equal(rig_poll(owner->own_cq).status, IBV_WC_SUCCESS);
		}
		assert_true(rig_is_empty(owner->cq));
		receives_post(owner);
		left = DEPTH;
	}
}

static void dead_is_missed(struct owner *owner)
{
	int left = DEPTH;

	if (owner->own_sender) {
		rest_is_there(owner, left - messages_take(owner));
		return;
	}
	for (bool is_flushed = false; left; left--) {
		struct ibv_wc wc = rig_poll(owner->cq);

		if (receive_take(owner, &wc) != IBV_WC_SUCCESS)
			is_flushed = true;
		assert_int_equal(wc.status, is_flushed ? IBV_WC_WR_FLUSH_ERR : IBV_WC_SUCCESS);
		assert_true(is_flushed || left == DEPTH);
	}
	assert_true(rig_is_empty(owner->cq));
}

static void killed_at_any_step(struct owner *owner, long stride)
{
	for (long steps = getpid() % stride;; steps += stride) {
		struct led led;
		bool is_there;
		long taken;

		alarm(LIMIT_S);
		led_start(&led, kinds[owner->kind].sender);
		is_there = led_begin(owner, &led, steps, &taken);
		led_kill(&led);
		if (is_there)
			dead_is_missed(owner);
		owner_end(owner);
		if (!is_there)
			return;
	}
}

static void every_kind(void (*lead)(struct owner *owner, long stride))
{
	const char *wanted = getenv("SOFT_STEPS");

	led_find_device();
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		struct owner owner;

		owner_open(&owner, kind);
		lead(&owner, wanted ? atol(wanted) : STRIDE);
		owner_close(&owner);
		alarm(0);
	}
}

/* The sender's are zeroes. */
static void word_is_written(struct owner *owner, uint32_t length)
{
	const uint64_t ones = UINT64_MAX;
	struct target target = {.length = length};
	uint8_t *word = owner->end.buffer;
	struct led led;
	int status;

	alarm(LIMIT_S);
	led_start(&led, kinds[owner->kind].sender);
	RIG_CHECK(read(led.fd, &target.qpn, sizeof(target.qpn)) == sizeof(target.qpn));
	owner_begin(owner, target.qpn);
	target.qpn = owner->qp->qp_num;
	target.rkey = owner->end.mr->rkey;
	target.addr = (uintptr_t)word;
	RIG_CHECK(write(led.fd, &target, sizeof(target)) == sizeof(target));
	led_await(&led, SIGTRAP);
	memset(word, 0xff, length);
	for (bool is_there = true; is_there;) {
		RIG_CHECK(ptrace(PTRACE_SINGLESTEP, led.pid, NULL, NULL) == 0);
		led_await(&led, SIGTRAP);
		assert_true(memcmp(word, &ones, length) == 0 || memcmp(word, &(uint64_t){0}, length) == 0);
		is_there = led_at(led.pid) != (uintptr_t)message_posted;
	}
	assert_int_equal(word[0], 0);
	RIG_CHECK(ptrace(PTRACE_DETACH, led.pid, NULL, NULL) == 0);
	RIG_CHECK(read(led.fd, &status, sizeof(status)) == sizeof(status));
	led_kill(&led);
	owner_end(owner);
	alarm(0);
}

/* A counter of 32 bits of which the first two bytes were new was one that there never was. */
TEST(words_are_written_at_once)
{
	struct owner owner;

	if (!can_lead())
		skip();
	owner_open(&owner, 0);
	for (uint32_t length = 1; length <= 8; length *= 2)
		word_is_written(&owner, length);
	owner_close(&owner);
}

TEST(requests_complete_once)
{
	if (!can_lead())
		skip();
	every_kind(stopped_behind_its_completion);
}

TEST(owner_ends_whoever_stopped)
{
	if (!can_lead())
		skip();
	every_kind(stopped_at_any_step);
}

TEST(queue_outlives_whoever_died)
{
	if (!can_lead())
		skip();
	every_kind(killed_at_any_step);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
