// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rules.h. */
#include "qperf/options/rules.h"

#include <errno.h>
#include <inttypes.h>

#include "params/engine/opt.h"
#include "qperf/control/session.h"
#include "qperf/control/wire.h"
#include "qperf/options/values.h"
#include "qperf/rdma/rdma_kind.h"

#define DEFAULT_TIME_NS (2 * NS_PER_S)

void qperf_complete(const struct test_row *test, struct qperf_params *params)
{
	struct qperf_side *sides[] = {&params->local, &params->remote};
	const uint32_t given = params->given_local;

	for (unsigned i = 0; i < 2; i++) {
		struct qperf_side *side = sides[i];

		if (!(given & PARAM_BIT(PARAM_MSG_SIZE)))
			side->number[PARAM_MSG_SIZE] = test->default_size;
		if (!(given & PARAM_BIT(PARAM_TIME)) && !side->number[PARAM_NO_MSGS])
			side->number[PARAM_TIME] = DEFAULT_TIME_NS;
	}
}

int qperf_check(const struct test_row *test, const struct qperf_side *side, char *reason, size_t reason_size)
{
	const uint64_t size = side->number[PARAM_MSG_SIZE];
	const struct test_ops *ops = session_ops(test);
	const char *fault;

	if (test->default_size && (!size || size > test->max_size))
		return opt_refuse(reason, reason_size, "%s: a message size of %" PRIu64 " bytes: must be 1 to %" PRIu64,
				  test->name, size, test->max_size);
	if (side->number[PARAM_PORT] > UINT16_MAX)
		return opt_refuse(reason, reason_size, "%s: port %" PRIu64 ": must be 0 to 65535", test->name,
				  side->number[PARAM_PORT]);
	if (side->number[PARAM_SOCK_BUF_SIZE] > INT32_MAX)
		return opt_refuse(reason, reason_size, "%s: a socket buffer of %" PRIu64 " bytes: must be below 2G",
				  test->name, side->number[PARAM_SOCK_BUF_SIZE]);
	if (side->number[PARAM_AFFINITY] > 8192)
		return opt_refuse(reason, reason_size, "%s: CPU %" PRIu64 " is too high a number", test->name,
				  side->number[PARAM_AFFINITY] - 1);
	fault = ops && ops->check ? ops->check(test, side) : NULL;
	if (fault)
		return opt_refuse(reason, reason_size, "%s can't have %s", test->name, fault);
	return 0;
}

bool rules_classic_rdma(const struct test_row *test, const struct qperf_side *side)
{
	const struct transport_traits *traits;

	if (test->body != BODY_RDMA)
		return true;
	traits = transport_traits(RDMA_TRANSPORT(test->kind));
	return traits->rdma_cm && !traits->datagram && side->number[PARAM_USE_CM];
}

const char *rules_not_classic(const struct test_row *test, const struct qperf_side *remote)
{
	if (remote->number[PARAM_NO_MSGS] && !(test->classic_uses & PARAM_BIT(PARAM_NO_MSGS)))
		return "a number of messages (-n) in this test";
	if (test->number > TEST_LAST_CLASSIC)
		return "this test";
	if (!rules_classic_rdma(test, remote))
		return "RDMA tests with this one but those of RC, with -cm1";
	return wire_not_classic(remote);
}
