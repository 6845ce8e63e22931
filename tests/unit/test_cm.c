// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Handling of rdma_cm's events, without a device: every event that ends an attempt is reported with its reason. Also
 * the parameters passed to rdma_cm.
 */
#include <fcntl.h>
#include <rdma/rdma_cma.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "traffic/transport.h"
#include "util/log.h"
#include "verbs/connect/cm.h"
#include "verbs/connect/cm_qp.h"
#include "verbs/device/device.h"
#include "verbs/resources.h"

static const enum rdma_cm_event_type steps[] = {
	RDMA_CM_EVENT_ADDR_RESOLVED,	RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_CONNECT_REQUEST,
	RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_ESTABLISHED,    RDMA_CM_EVENT_TIMEWAIT_EXIT,
};

static const enum rdma_cm_event_type ends[] = {
	RDMA_CM_EVENT_ADDR_ERROR, RDMA_CM_EVENT_ROUTE_ERROR,  RDMA_CM_EVENT_CONNECT_ERROR,  RDMA_CM_EVENT_UNREACHABLE,
	RDMA_CM_EVENT_REJECTED,	  RDMA_CM_EVENT_DISCONNECTED, RDMA_CM_EVENT_DEVICE_REMOVAL, RDMA_CM_EVENT_ADDR_CHANGE,
};

TEST(a_step_goes_on)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct cm_reason reason = cm_judge(steps[i], 0);

		assert_int_equal(reason.verdict, CM_GOES_ON);
		assert_int_equal(reason.error, 0);
		assert_null(reason.words);
	}
}

TEST(every_end_says_why)
{
	static const int statuses[] = {0, 1, 3, 4, 8, 10, 28, 99, -ENODEV, -ETIMEDOUT, -ECONNREFUSED, -EIO};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		for (size_t k = 0; k < sizeof(statuses) / sizeof(statuses[0]); k++) {
			struct cm_reason reason = cm_judge(ends[i], statuses[k]);

			assert_int_not_equal(reason.verdict, CM_GOES_ON);
			assert_true(reason.error < 0);
			assert_non_null(reason.words);
		}
	}
}

TEST(what_can_pass_is_tried_again)
{
	assert_int_equal(cm_judge(RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT).verdict, CM_AGAIN);
	assert_int_equal(cm_judge(RDMA_CM_EVENT_REJECTED, 10).verdict, CM_AGAIN);
	assert_int_equal(cm_judge(RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT).verdict, CM_AGAIN);
}

TEST(what_stays_is_not)
{
	assert_int_equal(cm_judge(RDMA_CM_EVENT_ADDR_ERROR, -ENODEV).verdict, CM_FAILED);
	assert_int_equal(cm_judge(RDMA_CM_EVENT_ADDR_ERROR, -ENONET).verdict, CM_FAILED);
	assert_int_equal(cm_judge(RDMA_CM_EVENT_REJECTED, 28).verdict, CM_FAILED);
	assert_int_equal(cm_judge(RDMA_CM_EVENT_DEVICE_REMOVAL, 0).verdict, CM_FAILED);
}

TEST(a_rejection_is_reported_with_its_reason)
{
	assert_int_equal(cm_judge(RDMA_CM_EVENT_REJECTED, 8).error, -ECONNREFUSED);
	/* siw and irdma have the two codes of iWARP the other way round. */
	for (size_t i = 0; i < 2; i++) {
		const struct cm_reason reason = cm_judge(RDMA_CM_EVENT_REJECTED, i ? -ECONNREFUSED : -ECONNRESET);

		assert_int_equal(reason.verdict, CM_AGAIN);
		assert_int_equal(reason.error, -ECONNREFUSED);
		assert_string_equal(reason.words,
				    "no program listens there with rdma_cm, or it refuses; see its own message");
	}
	assert_string_not_equal(cm_judge(RDMA_CM_EVENT_REJECTED, 8).words, cm_judge(RDMA_CM_EVENT_REJECTED, 28).words);
}

TEST(a_call_that_failed_says_why)
{
	assert_non_null(strstr(cm_judge_call(-EADDRNOTAVAIL).words, "not belong to an RDMA device"));
	assert_non_null(strstr(cm_judge_call(-ENETUNREACH).words, "route"));
	assert_string_equal(cm_judge_call(-ENOMEM).words, strerror(ENOMEM));
	assert_int_equal(cm_judge_call(-ENOMEM).error, -ENOMEM);
}

/* --- the steps of one queue pair --- */

/* Feeds events that all is well with, and compares what is to be done about each. */
static void follow(enum cm_state state, bool datagrams, const enum rdma_cm_event_type *events,
		   const enum cm_action *actions, size_t count, enum cm_state last)
{
	for (size_t i = 0; i < count; i++) {
		struct cm_step step = cm_step(state, events[i], CM_GOES_ON, 1, datagrams);

		assert_int_equal(step.action, actions[i]);
		state = step.next;
	}
	assert_int_equal(state, last);
}

TEST(the_asking_side_confirms_an_answer)
{
	static const enum rdma_cm_event_type events[] = {RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ROUTE_RESOLVED,
							 RDMA_CM_EVENT_CONNECT_RESPONSE};
	static const enum cm_action actions[] = {CM_FIND_ROUTE, CM_ASK, CM_CONFIRM};

	follow(CM_ADDRESS, false /* RC */, events, actions, 3, CM_READY);
}

TEST(the_asking_side_of_ud_takes_the_address)
{
	static const enum rdma_cm_event_type events[] = {RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ROUTE_RESOLVED,
							 RDMA_CM_EVENT_ESTABLISHED};
	static const enum cm_action actions[] = {CM_FIND_ROUTE, CM_ASK, CM_TAKE};

	follow(CM_ADDRESS, true /* UD */, events, actions, 3, CM_READY);
}

TEST(the_listening_side_waits_for_the_last_word)
{
	static const enum rdma_cm_event_type events[] = {RDMA_CM_EVENT_CONNECT_REQUEST, RDMA_CM_EVENT_ESTABLISHED};
	static const enum cm_action actions[] = {CM_ANSWER, CM_TAKE};

	follow(CM_IDLE, false /* RC */, events, actions, 2, CM_READY);
	follow(CM_IDLE, true /* UD: accepting is all */, events, actions, 1, CM_READY);
}

TEST(a_request_that_comes_again_is_answered_again)
{
	assert_int_equal(cm_step(CM_ANSWERED, RDMA_CM_EVENT_CONNECT_REQUEST, CM_GOES_ON, 1, false).action, CM_ANSWER);
	assert_int_equal(cm_step(CM_READY, RDMA_CM_EVENT_CONNECT_REQUEST, CM_GOES_ON, 1, true).action, CM_ANSWER);
	/* A queue pair that is connected already belongs to somebody. */
	assert_int_equal(cm_step(CM_READY, RDMA_CM_EVENT_CONNECT_REQUEST, CM_GOES_ON, 1, false).action, CM_IGNORE);
}

TEST(a_failure_that_may_pass_is_tried_a_bounded_number_of_times)
{
	unsigned attempts = 0;
	struct cm_step step;

	do {
		attempts++;
		step = cm_step(CM_ASKED, RDMA_CM_EVENT_REJECTED, CM_AGAIN, attempts, false);
		assert_int_equal(step.action, attempts < CM_ATTEMPTS ? CM_RESTART : CM_GIVE_UP);
	} while (step.action == CM_RESTART && step.next == CM_IDLE);
	assert_int_equal(attempts, CM_ATTEMPTS);
}

TEST(a_failure_that_stays_ends_it_in_every_state)
{
	static const enum cm_state states[] = {CM_ADDRESS, CM_ROUTE, CM_ASKED, CM_ANSWERED, CM_READY};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		assert_int_equal(cm_step(states[i], RDMA_CM_EVENT_DEVICE_REMOVAL, CM_FAILED, 1, false).action,
				 CM_GIVE_UP);
	/* Nothing was begun, or it was given up before. */
	assert_int_equal(cm_step(CM_IDLE, RDMA_CM_EVENT_DISCONNECTED, CM_FAILED, 1, false).action, CM_IGNORE);
}

TEST(an_event_of_another_step_changes_nothing)
{
	for (enum cm_state at = CM_IDLE; at <= CM_READY; at++) {
		struct cm_step step = cm_step(at, RDMA_CM_EVENT_TIMEWAIT_EXIT, CM_GOES_ON, 1, false);

		assert_int_equal(step.action, CM_IGNORE);
		assert_int_equal(step.next, at);
	}
	assert_int_equal(cm_step(CM_ADDRESS, RDMA_CM_EVENT_ESTABLISHED, CM_GOES_ON, 1, false).action, CM_IGNORE);
}

/* --- calls of the libraries, and what they were told --- */

static int modified_mask;
static unsigned num_modified;

/* It is a macro in newer headers. */
#undef ibv_modify_qp
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	modified_mask = mask;
	num_modified++;
	if (qp && mask & IBV_QP_STATE)
		qp->state = attr->qp_state;
	return 0;
}

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct rdma_event_channel *channel = calloc(1, sizeof(*channel));

	assert_non_null(channel);
	channel->fd = eventfd(0, 0 /* as librdmacm opens it: inherited, blocking */);
	return channel;
}

/* rdma_init_qp_attr() of kernels before 4.16 marks IB_QP_SMAC and its like, and uverbs of newer ones refuses them. */
TEST(attributes_of_the_kernel_alone_are_left_out)
{
	const int of_programs = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};

	assert_int_equal(cm_modify_qp(NULL, &attr, of_programs | 1 << 21 | 1 << 22 | 1 << 23 | 1 << 24), 0);
	assert_int_equal(modified_mask, of_programs);
	assert_int_equal(cm_modify_qp(NULL, &attr, of_programs), 0);
	assert_int_equal(modified_mask, of_programs);
}

/* irdma's QPs never leave ERROR, to which its driver moves them for RESET (profile irdma of the software device). */
TEST(a_failed_attempt_resets_only_what_it_connected)
{
	static const struct {
		enum transport transport;
		enum ibv_qp_state before, after;
		uint32_t vendor;
		int err;
	} rows[] = {
		{TRANSPORT_RC, IBV_QPS_INIT, IBV_QPS_INIT, 0x8086, 0},
		{TRANSPORT_UD, IBV_QPS_RTS, IBV_QPS_RTS, 0x8086, 0},
		{TRANSPORT_RC, IBV_QPS_RTS, IBV_QPS_RTS, 0x8086, -ECONNABORTED},
		{TRANSPORT_RC, IBV_QPS_RTS, IBV_QPS_INIT, 0x02c9, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct device device = {.name = "rdma9", .attr.vendor_id = rows[i].vendor};
		const struct verbs_config config = {.transport = rows[i].transport};
		struct ibv_qp qp = {.state = rows[i].before};
		struct tx_queue tx = {.qp = &qp};
		struct resources resources = {
			.device = &device,
			.config = &config,
			.traffic.transport = transport_traits(rows[i].transport),
			.tx = &tx,
			.num_qps = 1,
		};

		num_modified = 0;
		assert_int_equal(cm_move_back(&resources, 0), rows[i].err);
		assert_int_equal(qp.state, rows[i].after);
		assert_int_equal(num_modified > 0, rows[i].before != rows[i].after);
		if (rows[i].err)
			assert_non_null(strstr(log_last_error(), "rdma9 connects no queue pair a second time"));
		if (rows[i].transport == TRANSPORT_UD)
			assert_int_equal(cm_move_to_rts(&resources, 0, NULL), 0);
	}
}

TEST(a_channel_is_not_inherited_and_does_not_block)
{
	struct rdma_event_channel *channel;

	assert_int_equal(cm_open_channel(&channel), 0);
	assert_true(fcntl(channel->fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(channel->fd, F_GETFL) & O_NONBLOCK);
	close(channel->fd);
	free(channel);
}

TEST_MAIN(NULL, NULL)
