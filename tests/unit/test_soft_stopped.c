// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A sender is stopped in the middle of a message to a queue that others also send to. Nobody waits for it for ever: the
 * others' messages follow when it continues or is killed, or fail; the owner can end any object.
 */
#define _GNU_SOURCE
#include "config.h"

#include <sys/prctl.h>

#include "host/layout.h"
#include "soft_rig.h"

#define LIMIT_S		(RIG_WAIT_S * 3) /* whoever waits for a lock by then waits for ever */
#define DEPTH		8
#define LENGTH		2048u
#define HEADER		40u /* of a datagram */
#define PAGE		4096u
#define SLOT		(LENGTH + HEADER)
#define SENDERS		3
#define PATTERN(sender) ((uint8_t)(0x40 + (sender)))

enum order {
	ORDER_SEND,
	ORDER_STOP,  /* a message in whose copy the sender stops ... */
	ORDER_STORE, /* ... or in the store of its completion, with the locks of both queues */
};

static const struct {
	enum ibv_qp_type type;
	bool is_shared;
} kinds[] = {{IBV_QPT_UD, false}, {IBV_QPT_UD, true}, {IBV_QPT_RC, true}, {IBV_QPT_UC, true}};

/* --- a sender: a process with one queue pair --- */

static struct {
	uint8_t *page;	  /* that can't be read, in the middle of what is sent ... */
	uint8_t *ring[2]; /* ... or can't be written to, of the tables of this process and of the owner's */
	int ring_count;
} trap;

static void trap_rings(int protection)
{
	for (int i = 0; i < trap.ring_count; i++)
		mprotect(trap.ring[i], LAYOUT_SIZE - LAYOUT_HEAP_OFFSET / PAGE * PAGE, protection);
}

static void trap_sprung(int number)
{
	raise(SIGSTOP);
	mprotect(trap.page, PAGE, PROT_READ | PROT_WRITE);
	trap_rings(PROT_READ | PROT_WRITE);
}

/* Where completions are stored: behind the tables. */
static void trap_find_rings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	uintptr_t start, end;

	RIG_CHECK(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "perftest-soft-control") || sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		RIG_CHECK(trap.ring_count < 2 && end - start >= LAYOUT_SIZE);
		trap.ring[trap.ring_count++] = (uint8_t *)start + LAYOUT_HEAP_OFFSET / PAGE * PAGE;
	}
	fclose(maps);
}

static void sender_connect(struct rig_end *near, uint32_t qpn)
{
	near->options.rnr_timer = 1;
	rig_end_connect(near, qpn);
}

/* The status of the completion. */
static int message_send(struct rig *rig, uint32_t qpn, struct ibv_ah *ah, uint32_t offset)
{
	struct rig_request request;

	rig_request(rig, &request, IBV_WR_SEND, LENGTH);
	request.sge.addr += offset;
	if (ah) {
		request.wr.wr.ud.ah = ah;
		request.wr.wr.ud.remote_qpn = qpn;
		request.wr.wr.ud.remote_qkey = RIG_QKEY;
	}
	return (int)rig_run(rig, &request).status;
}

static void sender_run(int fd, int index, enum ibv_qp_type type)
{
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};
	struct rig rig = {0};
	struct rig_end *near = &rig.near;
	struct ibv_ah *ah = NULL;
	enum order order;
	uint32_t qpn;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rig_end_open(near, &(struct rig_options){.type = type});
	memset(near->buffer, PATTERN(index), RIG_BUFFER);
	RIG_CHECK(write(fd, &near->qp->qp_num, sizeof(qpn)) == sizeof(qpn));
	RIG_CHECK(read(fd, &qpn, sizeof(qpn)) == sizeof(qpn));
	sender_connect(near, qpn);
	if (type == IBV_QPT_UD)
		RIG_CHECK((ah = ibv_create_ah(near->pd, &attr)) != NULL);
	trap.page = near->buffer + PAGE;
	signal(SIGSEGV, trap_sprung);
	while (read(fd, &order, sizeof(order)) == sizeof(order)) {
		int status;

		if (order == ORDER_STOP)
			mprotect(trap.page, PAGE, PROT_NONE);
		if (order == ORDER_STORE) {
			trap_find_rings();
			trap_rings(PROT_READ);
		}
		status = message_send(&rig, qpn, ah, PAGE - LENGTH / 2);
		RIG_CHECK(write(fd, &status, sizeof(status)) == sizeof(status));
	}
	RIG_CHECK(!ah || ibv_destroy_ah(ah) == 0);
	rig_end_close(near);
	_exit(0);
}

struct sender {
	pid_t pid;
	int fd;
	uint32_t qpn;
};

/* Before any device is open here. */
static void sender_start(struct sender *sender, int index, enum ibv_qp_type type)
{
	int pair[2];

	RIG_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	sender->pid = fork();
	RIG_CHECK(sender->pid >= 0);
	if (sender->pid == 0) {
		close(pair[0]);
		sender_run(pair[1], index, type);
	}
	close(pair[1]);
	sender->fd = pair[0];
	RIG_CHECK(read(sender->fd, &sender->qpn, sizeof(sender->qpn)) == sizeof(sender->qpn));
}

static void sender_order(const struct sender *sender, enum order order)
{
	RIG_CHECK(write(sender->fd, &order, sizeof(order)) == sizeof(order));
}

static int sender_status(const struct sender *sender)
{
	int status;

	RIG_CHECK(read(sender->fd, &status, sizeof(status)) == sizeof(status));
	return status;
}

static void sender_await_stop(const struct sender *sender)
{
	int status;

	assert_int_equal(waitpid(sender->pid, &status, WUNTRACED), sender->pid);
	assert_true(WIFSTOPPED(status));
}

static void sender_kill(struct sender *sender)
{
	if (!sender->pid)
		return;
	kill(sender->pid, SIGKILL);
	waitpid(sender->pid, NULL, 0);
	close(sender->fd);
	sender->pid = 0;
}

/* --- the owner of the queue --- */

struct owner {
	struct sender senders[SENDERS];
	enum ibv_qp_type type;
	struct rig_end end; /* without its queue pair */
	struct ibv_srq *srq;
	struct ibv_qp *qps[SENDERS]; /* of UD one */
	bool is_posted[DEPTH];
};

static int qp_count(const struct owner *owner)
{
	return owner->type == IBV_QPT_UD ? 1 : SENDERS;
}

static void receive_post(struct owner *owner, uint64_t wr_id)
{
	struct ibv_sge sge = {(uintptr_t)owner->end.buffer + wr_id * SLOT, SLOT, owner->end.mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1}, *bad;

	memset(owner->end.buffer + wr_id * SLOT, 0, SLOT);
	assert_false(owner->is_posted[wr_id]);
	owner->is_posted[wr_id] = true;
	assert_int_equal(
		owner->srq ? ibv_post_srq_recv(owner->srq, &wr, &bad) : ibv_post_recv(owner->qps[0], &wr, &bad), 0);
}

/* A message has arrived whole. Which sender's? */
static int receive_check(struct owner *owner, const struct ibv_wc *wc)
{
	const uint32_t header = owner->type == IBV_QPT_UD ? HEADER : 0;
	const uint8_t *data = owner->end.buffer + wc->wr_id * SLOT + header;

	assert_int_equal(wc->status, IBV_WC_SUCCESS);
	assert_int_equal(wc->byte_len, LENGTH + header);
	assert_in_range(wc->wr_id, 0, DEPTH - 1);
	assert_true(owner->is_posted[wc->wr_id]); /* once */
	owner->is_posted[wc->wr_id] = false;
	for (int i = 0; i < SENDERS; i++) {
		if (wc->src_qp != owner->senders[i].qpn)
			continue;
		for (uint32_t k = 0; k < LENGTH; k++)
			assert_int_equal(data[k], PATTERN(i));
		return i;
	}
	fail_msg("a completion of nobody's");
	return -1;
}

static void qp_open(struct owner *owner, int index)
{
	struct rig_end end = owner->end;
	struct ibv_qp_init_attr init = {.qp_type = owner->type,
					.send_cq = end.send_cq,
					.recv_cq = end.receive_cq,
					.srq = owner->srq,
					.cap = {1, DEPTH, 1, 1, 0}};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIG_ACCESS, .qkey = RIG_QKEY};

	assert_non_null(end.qp = owner->qps[index] = ibv_create_qp(end.pd, &init));
	assert_int_equal(ibv_modify_qp(end.qp, &attr,
				       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					       (owner->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)),
			 0);
	rig_end_connect(&end, owner->senders[index].qpn);
}

static void senders_start(struct owner *owner, size_t kind)
{
	*owner = (struct owner){.type = kinds[kind].type};
	alarm(LIMIT_S);
	for (int i = 0; i < SENDERS; i++)
		sender_start(&owner->senders[i], i, owner->type);
}

static void owner_open(struct owner *owner, size_t kind)
{
	struct rig_options options = {.type = kinds[kind].type};

	rig_end_open(&owner->end, &options);
	assert_int_equal(ibv_destroy_qp(owner->end.qp), 0);
	if (kinds[kind].is_shared) {
		struct ibv_srq_init_attr init = {.attr = {.max_wr = DEPTH, .max_sge = 1}};

		assert_non_null(owner->srq = ibv_create_srq(owner->end.pd, &init));
	}
	for (int i = 0; i < qp_count(owner); i++)
		qp_open(owner, i);
	for (uint64_t i = 0; i < DEPTH; i++)
		receive_post(owner, i);
	for (int i = 0; i < SENDERS; i++) {
		const struct ibv_qp *qp = owner->qps[i % qp_count(owner)];

		RIG_CHECK(write(owner->senders[i].fd, &qp->qp_num, sizeof(qp->qp_num)) == sizeof(qp->qp_num));
	}
}

static void owner_start(struct owner *owner, size_t kind)
{
	senders_start(owner, kind);
	owner_open(owner, kind);
}

/* With whatever is in anybody's hands. */
static void owner_end(struct owner *owner)
{
	for (int i = 0; i < qp_count(owner); i++) {
		if (owner->qps[i])
			assert_int_equal(ibv_destroy_qp(owner->qps[i]), 0);
	}
	if (owner->srq)
		assert_int_equal(ibv_destroy_srq(owner->srq), 0);
	assert_int_equal(ibv_destroy_cq(owner->end.send_cq), 0);
	assert_int_equal(ibv_destroy_cq(owner->end.receive_cq), 0);
	assert_int_equal(ibv_dereg_mr(owner->end.mr), 0);
	assert_int_equal(ibv_dealloc_pd(owner->end.pd), 0);
	assert_int_equal(ibv_close_device(owner->end.context), 0);
	munmap(owner->end.buffer, RIG_BUFFER);
	for (int i = 0; i < SENDERS; i++)
		sender_kill(&owner->senders[i]);
	alarm(0);
}

/* So many messages of that sender arrive one after the other; where they went to is posted anew. */
static void messages_pass(struct owner *owner, int index, int count)
{
	for (int i = 0; i < count; i++) {
		struct ibv_wc wc;

		sender_order(&owner->senders[index], ORDER_SEND);
		wc = rig_poll(owner->end.receive_cq);
		assert_int_equal(receive_check(owner, &wc), index);
		receive_post(owner, wc.wr_id);
		assert_int_equal(sender_status(&owner->senders[index]), IBV_WC_SUCCESS);
	}
}

static void sender_stop(struct owner *owner, enum order order)
{
	sender_order(&owner->senders[0], order);
	sender_await_stop(&owner->senders[0]);
}

/* The next message is of that sender, which sees it acknowledged. */
static void message_expect(struct owner *owner, int index)
{
	struct ibv_wc wc = rig_poll(owner->end.receive_cq);

	assert_int_equal(receive_check(owner, &wc), index);
	receive_post(owner, wc.wr_id);
	assert_int_equal(sender_status(&owner->senders[index]), IBV_WC_SUCCESS);
}

/* Who is stopped goes on: its message arrives, then that of the sender that waited. */
TEST(stopped_goes_on)
{
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		struct owner owner;

		owner_start(&owner, kind);
		messages_pass(&owner, 0, 3);
		sender_stop(&owner, ORDER_STOP);
		sender_order(&owner.senders[SENDERS - 1], ORDER_SEND);
		assert_true(rig_is_empty(owner.end.receive_cq));
		kill(owner.senders[0].pid, SIGCONT);
		message_expect(&owner, 0);
		message_expect(&owner, SENDERS - 1);
		for (int i = 0; i < SENDERS; i++)
			messages_pass(&owner, i, 2 * DEPTH);
		assert_true(rig_is_empty(owner.end.receive_cq));
		owner_end(&owner);
	}
}

/* Who is stopped is killed: the others go on, with all receives. */
TEST(stopped_is_killed)
{
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		struct owner owner;

		owner_start(&owner, kind);
		messages_pass(&owner, 0, 1);
		sender_stop(&owner, kind % 2 ? ORDER_STORE : ORDER_STOP);
		sender_order(&owner.senders[SENDERS - 1], ORDER_SEND);
		sender_kill(&owner.senders[0]);
		message_expect(&owner, SENDERS - 1);
		messages_pass(&owner, SENDERS - 1, 2 * DEPTH);
		assert_true(rig_is_empty(owner.end.receive_cq));
		owner_end(&owner);
	}
}

/* Who is stopped stays so: the others' messages are lost, or fail, in the end. */
TEST(stopped_is_not_awaited)
{
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind += 2) {
		const bool is_reliable = kinds[kind].type == IBV_QPT_RC;
		struct owner owner;

		owner_start(&owner, kind);
		sender_stop(&owner, ORDER_STOP);
		sender_order(&owner.senders[1], ORDER_SEND);
		assert_int_equal(sender_status(&owner.senders[1]), is_reliable ? IBV_WC_RETRY_EXC_ERR : IBV_WC_SUCCESS);
		assert_true(rig_is_empty(owner.end.receive_cq));
		owner_end(&owner);
	}
}

enum ending { ENDING_ERROR, ENDING_RESET, ENDING_DESTROY, ENDING_COUNT };

static void qp_end(struct owner *owner, int index, enum ending ending)
{
	struct ibv_qp_attr attr = {.qp_state = ending == ENDING_ERROR ? IBV_QPS_ERR : IBV_QPS_RESET};

	if (ending == ENDING_DESTROY) {
		assert_int_equal(ibv_destroy_qp(owner->qps[index]), 0);
		owner->qps[index] = NULL;
	} else {
		assert_int_equal(ibv_modify_qp(owner->qps[index], &attr, IBV_QP_STATE), 0);
	}
}

/* The message of the stopped sender, which may have passed the queue pair's gate before, then what is flushed. */
static void rest_check(struct owner *owner, enum ending ending)
{
	int arrived = 0, flushed = 0;
	struct ibv_wc wc;

	while (flushed < (ending == ENDING_ERROR && !owner->srq ? DEPTH - arrived : 0)) {
		wc = rig_poll(owner->end.receive_cq);
		if (wc.status == IBV_WC_SUCCESS) {
			arrived++;
			assert_int_equal(receive_check(owner, &wc), 0);
			continue;
		}
		assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
		flushed++;
	}
	while (owner->srq && ibv_poll_cq(owner->end.receive_cq, 1, &wc) == 1) {
		assert_int_equal(receive_check(owner, &wc), 0);
		receive_post(owner, wc.wr_id);
		arrived++;
	}
	assert_in_range(arrived, 0, 1);
	assert_true(rig_is_empty(owner->end.receive_cq));
}

/*
 * The owner ends a queue pair whose sender is stopped. Flushes wait for it, and the others. In each way a queue of its
 * own, and a shared one; each takes the owner 2 s.
 */
TEST(owner_ends_queue_pair)
{
	for (unsigned int i = 0; i < 2 * ENDING_COUNT; i++) {
		const enum ending ending = i % ENDING_COUNT;
		const size_t kind = i < ENDING_COUNT ? 0 : 1 + ending;
		const bool is_alone = kinds[kind].type == IBV_QPT_UD;
		struct owner owner;

		owner_start(&owner, kind);
		sender_stop(&owner, ORDER_STOP);
		qp_end(&owner, 0, ending);
		assert_true(rig_is_empty(owner.end.receive_cq));
		kill(owner.senders[0].pid, SIGCONT);
		sender_status(&owner.senders[0]);
		rest_check(&owner, ending);
		if (!is_alone)
			messages_pass(&owner, SENDERS - 1, 2 * DEPTH);
		owner_end(&owner);
	}
}

/* Flushes that wait for the sender follow its death, too. */
TEST(flush_follows_a_death)
{
	for (enum order order = ORDER_STOP; order <= ORDER_STORE; order++) {
		struct owner owner;

		owner_start(&owner, 0 /* UD, its own queue */);
		messages_pass(&owner, 0, 1);
		sender_stop(&owner, order);
		qp_end(&owner, 0, ENDING_ERROR);
		assert_true(rig_is_empty(owner.end.receive_cq));
		sender_kill(&owner.senders[0]);
		rest_check(&owner, ENDING_ERROR);
		owner_end(&owner);
	}
}

/* The owner ends all that it has, and then the sender goes on in what is not there any more. */
TEST(owner_ends_all)
{
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		struct owner owner;
		int pid, status;

		owner_start(&owner, kind);
		sender_stop(&owner, ORDER_STOP);
		pid = owner.senders[0].pid;
		owner.senders[0].pid = 0; /* lives on */
		owner_end(&owner);
		alarm(LIMIT_S);
		kill(pid, SIGCONT);
		/* On a wire, too, it learns that nobody is there. */
		sender_status(&owner.senders[0]);
		close(owner.senders[0].fd);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		alarm(0);
	}
}

/* The sender is stopped with a completion half stored: the owner of the queue can end all that it has. */
TEST(owner_ends_completion_queue)
{
	for (size_t kind = 0; kind < ENDING_COUNT; kind++) {
		struct owner owner;

		owner_start(&owner, kind);
		messages_pass(&owner, 0, 1);
		sender_stop(&owner, ORDER_STORE);
		qp_end(&owner, 0, (enum ending)kind);
		assert_true(rig_is_empty(owner.end.receive_cq));
		owner_end(&owner);
	}
}

/*
 * A process that is stopped before another has met it does not answer the one that wants to map its memory. It is
 * waited for once (5 s), not for each message.
 */
TEST(stopped_is_waited_for_once)
{
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};
	struct sender target = {.fd = -1};
	struct ibv_ah *ah;
	struct rig rig;
	int pair[2];

	alarm(LIMIT_S);
	RIG_CHECK(pipe(pair) == 0);
	target.pid = fork();
	RIG_CHECK(target.pid >= 0);
	if (target.pid == 0) {
		struct rig_end end;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_UD});
		RIG_CHECK(write(pair[1], &end.qp->qp_num, sizeof(end.qp->qp_num)) == sizeof(end.qp->qp_num));
		raise(SIGSTOP);
	}
	RIG_CHECK(read(pair[0], &target.qpn, sizeof(target.qpn)) == sizeof(target.qpn));
	sender_await_stop(&target);
	rig_end_open(&rig.near, &(struct rig_options){.type = IBV_QPT_UD});
	rig_end_connect(&rig.near, 0);
	assert_non_null(ah = ibv_create_ah(rig.near.pd, &attr));
	for (int i = 0; i < 4 * DEPTH; i++)
		assert_int_equal(message_send(&rig, target.qpn, ah, 0), IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	sender_kill(&target); /* whoever ends next clears its socket away */
	rig_end_close(&rig.near);
	close(pair[0]);
	close(pair[1]);
	alarm(0);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
