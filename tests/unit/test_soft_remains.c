// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What remains of a process that died in the middle of a message: two locks, and a receive request that it had
 * consumed, completed or lost, at each step. The next message must clean up: each request completes once, and its slot
 * is reused.
 */
#include "host/layout.h"
#include "soft_rig.h"
#include "soft_wire.h"

#define LIMIT_S 60 /* of a process: several times what it may wait */

/* What it did, and what the living see of it; both of a process of its own, which ends with 0. */
struct remains {
	const char *name;
	int steps; /* how far it came */
	struct rig_options options;
	uint64_t receives; /* posted: wr_id 1 and on */
	void (*leave)(uint8_t *control, uint32_t qpn, int step);
	void (*expect)(struct rig_end *near, struct rig_end *far, uint8_t *control, int step);
};

/* As a message passes, both locks in its hands. */
static void locks_take(uint8_t *control, uint32_t qpn)
{
	struct rq_row *queue = control_rq(control, qpn);

	queue->lock = control_receive_cq(control, qpn)->lock = DEAD_INSTANCE;
	queue->cq = control_qp(control, qpn)->receive_cq;
}

static void message_pass(struct rig_end *near)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_SEND}, *bad;

	RIG_CHECK(ibv_post_send(near->qp, &wr, &bad) == 0);
	RIG_CHECK(rig_poll(near->send_cq).status == IBV_WC_SUCCESS);
}

/* --- a message that completes --- */

enum { MESSAGE_BEFORE, MESSAGE_AFTER_COMPLETION, MESSAGE_AFTER_TAIL, MESSAGE_AFTER_HEAD, MESSAGE_STEPS };

static void message_leave(uint8_t *control, uint32_t qpn, int step)
{
	struct rq_row *queue = control_rq(control, qpn);
	struct cq_row *cq = control_receive_cq(control, qpn);
	struct cqe *cqe = (struct cqe *)(void *)(control + cq->ring) + (cq->tail & cq->mask);

	locks_take(control, qpn);
	if (step < MESSAGE_AFTER_COMPLETION)
		return;
	*cqe = (struct cqe){.wr_id = 1,
			    .qpn = qpn,
			    .opcode = IBV_WC_RECV,
			    .generation = queue->generation,
			    .queue = control_qp(control, qpn)->receive_queue,
			    .position = queue->head};
	__atomic_store_n(&cqe->stamp, cq->tail + 1, __ATOMIC_RELEASE);
	cq->tail += step >= MESSAGE_AFTER_TAIL;
	queue->head += step >= MESSAGE_AFTER_HEAD;
}

/* What it had completed is complete once, and the next message takes the next request. */
static void message_expect(struct rig_end *near, struct rig_end *far, uint8_t *control, int step)
{
	(void)control;
	for (uint64_t i = step == MESSAGE_BEFORE ? 1 : 2; i <= 3; i++)
		message_pass(near);
	for (uint64_t i = 1; i <= 3; i++)
		RIG_CHECK(rig_poll(far->receive_cq).wr_id == i);
	RIG_CHECK(rig_is_empty(far->receive_cq));
}

/* --- one for whose completion the queue had no room --- */

enum { LOSS_SAID, LOSS_TAKEN, LOSS_COUNTED, LOSS_STEPS };

static void loss_leave(uint8_t *control, uint32_t qpn, int step)
{
	struct rq_row *queue = control_rq(control, qpn);

	locks_take(control, qpn);
	queue->losing = RQ_LOSING(queue->head + 1, queue->lost + 1);
	queue->head += step >= LOSS_TAKEN;
	queue->lost += step >= LOSS_COUNTED;
}

/* The place of a request whose completion was lost can be used again, and that of no other. */
static void loss_expect(struct rig_end *near, struct rig_end *far, uint8_t *control, int step)
{
	const bool was_taken = step >= LOSS_TAKEN;

	(void)control;
	message_pass(near);
	RIG_CHECK(rig_end_post_receive(far, 5, 0, 8, 0) == (was_taken ? 0 : ENOMEM));
	RIG_CHECK(rig_end_post_receive(far, 6, 0, 8, 0) == ENOMEM);
	RIG_CHECK(rig_poll(far->receive_cq).wr_id == (was_taken ? 2 : 1));
	RIG_CHECK(rig_end_post_receive(far, 6, 0, 8, 0) == 0);
	RIG_CHECK(rig_end_post_receive(far, 7, 0, 8, 0) == ENOMEM);
}

/* --- one that had no room, and found some later; who died behind it lost none --- */

static void room_expect(struct rig_end *near, struct rig_end *far, uint8_t *control, int step)
{
	int fd;

	(void)step;
	message_pass(near);
	munmap(own_control(QPN_SLOT(far->qp->qp_num), NO_SLOT, &fd), LAYOUT_SIZE);
	locks_take(control, far->qp->qp_num);
	close(fd);
	message_pass(near);
	RIG_CHECK(rig_end_post_receive(far, 5, 0, 8, 0) == ENOMEM); /* two wait to be polled, two for messages */
	RIG_CHECK(rig_poll(far->receive_cq).wr_id == 1);
	RIG_CHECK(rig_poll(far->receive_cq).wr_id == 2);
	RIG_CHECK(rig_end_post_receive(far, 5, 0, 8, 0) == 0);
	RIG_CHECK(rig_end_post_receive(far, 6, 0, 8, 0) == 0);
	RIG_CHECK(rig_end_post_receive(far, 7, 0, 8, 0) == ENOMEM);
}

/* --- a lie: it says that the owner itself has the completion queue, for good --- */

static void lie_leave(uint8_t *control, uint32_t qpn, int step)
{
	(void)step;
	locks_take(control, qpn);
	control_receive_cq(control, qpn)->lock = ((struct control_header *)(void *)control)->instance;
}

/* Nothing comes there any more; but the owner goes on, and makes and ends what it wants. */
static void lie_expect(struct rig_end *near, struct rig_end *far, uint8_t *control, int step)
{
	struct rig_end another;

	(void)near;
	(void)control;
	(void)step;
	rig_end_open(&another, &(struct rig_options){.type = IBV_QPT_RC});
	rig_end_close(&another);
	RIG_CHECK(ibv_destroy_qp(far->qp) == 0);
	exit(0);
}

/* --- each step of each --- */

static const struct remains all_remains[] = {
	{.name = "a message",
	 .steps = MESSAGE_STEPS,
	 .options = {.type = IBV_QPT_RC, .all_signalled = true},
	 .receives = 3,
	 .leave = message_leave,
	 .expect = message_expect},
	{.name = "a lost completion",
	 .steps = LOSS_STEPS,
	 .options = {.type = IBV_QPT_RC, .all_signalled = true, .depth = 4, .cqe = 4}, /* as many as the receives */
	 .receives = 4,
	 .leave = loss_leave,
	 .expect = loss_expect},
	{.name = "a completion that was not lost after all",
	 .steps = LOSS_SAID + 1,
	 .options = {.type = IBV_QPT_RC, .all_signalled = true, .depth = 4, .cqe = 4},
	 .receives = 4,
	 .leave = loss_leave,
	 .expect = room_expect},
	{.name = "a lie about the completion queue",
	 .steps = 1,
	 .options = {.type = IBV_QPT_RC},
	 .receives = 1,
	 .leave = lie_leave,
	 .expect = lie_expect},
};

static void remains_run(const struct remains *remains, int step)
{
	struct rig_end near, far;
	uint8_t *control;
	int fd;

	alarm(LIMIT_S);
	rig_end_open(&near, &remains->options);
	rig_end_open(&far, &remains->options);
	rig_end_connect(&near, far.qp->qp_num);
	rig_end_connect(&far, near.qp->qp_num);
	for (uint64_t i = 1; i <= remains->receives; i++)
		RIG_CHECK(rig_end_post_receive(&far, i, 0, 8, 0) == 0);
	if (remains->options.depth)
		RIG_CHECK(rig_end_post_receive(&far, remains->receives + 1, 0, 8, 0) == ENOMEM);
	control = own_control(QPN_SLOT(far.qp->qp_num), NO_SLOT, &fd);
	remains->leave(control, far.qp->qp_num, step);
	close(fd);
	remains->expect(&near, &far, control, step);
	munmap(control, LAYOUT_SIZE);
	rig_end_close(&near);
	rig_end_close(&far);
	exit(0);
}

static void remains_are_seen_to(void **state)
{
	const struct remains *remains = *state;
	int status;

	for (int step = 0; step < remains->steps; step++) {
		pid_t child = child_start();

		if (child == 0)
			remains_run(remains, step);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status) {
			slots_remove(); /* the process removes its own */
			fail_msg("step %d: wait status %#x", step, (unsigned int)status);
		}
	}
}

#define COUNT (sizeof(all_remains) / sizeof(all_remains[0]))

int main(void)
{
	struct CMUnitTest tests[COUNT];

	for (size_t i = 0; i < COUNT; i++)
		tests[i] = (struct CMUnitTest){.name = all_remains[i].name,
					       .test_func = remains_are_seen_to,
					       .initial_state = (void *)&all_remains[i]};
	return cmocka_run_group_tests(tests, slots_directory_make, slots_directory_remove);
}
