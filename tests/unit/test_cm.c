// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is made of rdma_cm's events, without a device: every one that ends an attempt says why. */
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "cmocka_all.h"
#include "verbs/cm.h"

static const enum rdma_cm_event_type steps[] = {
	RDMA_CM_EVENT_ADDR_RESOLVED,	RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_CONNECT_REQUEST,
	RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_ESTABLISHED,    RDMA_CM_EVENT_TIMEWAIT_EXIT,
};

static const enum rdma_cm_event_type ends[] = {
	RDMA_CM_EVENT_ADDR_ERROR, RDMA_CM_EVENT_ROUTE_ERROR,  RDMA_CM_EVENT_CONNECT_ERROR,  RDMA_CM_EVENT_UNREACHABLE,
	RDMA_CM_EVENT_REJECTED,	  RDMA_CM_EVENT_DISCONNECTED, RDMA_CM_EVENT_DEVICE_REMOVAL, RDMA_CM_EVENT_ADDR_CHANGE,
};

static void a_step_goes_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct cm_reason reason = cm_judge(steps[i], 0);

		assert_int_equal(reason.verdict, CM_GOES_ON);
		assert_int_equal(reason.error, 0);
		assert_null(reason.words);
	}
}

static void every_end_says_why(void **state)
{
	static const int statuses[] = {0, 1, 3, 4, 8, 10, 28, 99, -ENODEV, -ETIMEDOUT, -ECONNREFUSED, -EIO};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		for (size_t k = 0; k < sizeof(statuses) / sizeof(statuses[0]); k++) {
			struct cm_reason reason = cm_judge(ends[i], statuses[k]);

			assert_int_not_equal(reason.verdict, CM_GOES_ON);
			assert_true(reason.error < 0);
			assert_non_null(reason.words);
		}
	}
}

static void what_can_pass_is_tried_again(void **state)
{
	(void)state;
	assert_int_equal(cm_judge(RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT).verdict, CM_AGAIN);
	assert_int_equal(cm_judge(RDMA_CM_EVENT_REJECTED, 10).verdict, CM_AGAIN);
	assert_int_equal(cm_judge(RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT).verdict, CM_AGAIN);
}

static void what_stays_is_not(void **state)
{
	(void)state;
	assert_int_equal(cm_judge(RDMA_CM_EVENT_ADDR_ERROR, -ENODEV).verdict, CM_FAILED);
	assert_int_equal(cm_judge(RDMA_CM_EVENT_REJECTED, 28).verdict, CM_FAILED);
	assert_int_equal(cm_judge(RDMA_CM_EVENT_DEVICE_REMOVAL, 0).verdict, CM_FAILED);
}

static void a_rejection_tells_its_reason(void **state)
{
	(void)state;
	assert_int_equal(cm_judge(RDMA_CM_EVENT_REJECTED, 8).error, -ECONNREFUSED);
	assert_int_equal(cm_judge(RDMA_CM_EVENT_REJECTED, -ECONNREFUSED).error, -ECONNREFUSED);
	assert_string_not_equal(cm_judge(RDMA_CM_EVENT_REJECTED, 8).words, cm_judge(RDMA_CM_EVENT_REJECTED, 28).words);
}

static void a_call_that_failed_says_why(void **state)
{
	(void)state;
	assert_non_null(strstr(cm_judge_call(-EADDRNOTAVAIL).words, "no RDMA device"));
	assert_non_null(strstr(cm_judge_call(-ENETUNREACH).words, "route"));
	assert_string_equal(cm_judge_call(-ENOMEM).words, strerror(ENOMEM));
	assert_int_equal(cm_judge_call(-ENOMEM).error, -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_goes_on),
		cmocka_unit_test(every_end_says_why),
		cmocka_unit_test(what_can_pass_is_tried_again),
		cmocka_unit_test(what_stays_is_not),
		cmocka_unit_test(a_rejection_tells_its_reason),
		cmocka_unit_test(a_call_that_failed_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
