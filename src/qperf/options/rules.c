// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Defaults, limits and combinations of the options of a test. See options.h. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "params/engine/opt.h"
#include "qperf/control/session.h"
#include "qperf/options/options.h"
#include "qperf/options/tests.h"
#include "qperf/rdma/rdma_kind.h"

#define DEFAULT_TIME_NS	    (2 * NS_PER_S)
#define DEFAULT_MAX_TIME_NS (60 * NS_PER_S)
#define DEFAULT_MAX_REPEATS 100

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

/* Options cannot set it; of times, serve.c takes care, and any number but 0 is on. */
static bool is_too_large(const struct opt_row *row, uint64_t number)
{
	return (row->kind == OPT_INTEGER || row->kind == OPT_SIZE) && !option_own(row)->is_switch &&
	       number > (uint64_t)row->max + (row->special != NULL);
}

int qperf_check(const struct test_row *test, const struct qperf_side *side, char *reason, size_t reason_size)
{
	const uint64_t size = side->number[PARAM_MSG_SIZE];
	const struct test_ops *ops = session_ops(test);
	const char *fault;

	if (test->default_size && (!size || size > test->max_size))
		return opt_refuse(reason, reason_size, "%s: a message size of %" PRIu64 " bytes: must be 1 to %" PRIu64,
				  test->name, size, test->max_size);
	for (enum parameter p = 0; p < NUM_PARAMETERS; p++) {
		const struct opt_row *row = option_of(p);

		if (is_too_large(row, side->number[p]))
			return opt_refuse(reason, reason_size, "%s: %s must be at most %" PRIu64 ", not %" PRIu64,
					  test->name, row->long_name, (uint64_t)row->max,
					  side->number[p] - (row->special != NULL));
	}
	fault = ops && ops->check ? ops->check(test, side) : NULL;
	if (fault)
		return opt_refuse(reason, reason_size, "%s can't have %s", test->name, fault);
	return 0;
}

struct series_plan qperf_plan(const struct qperf_params *params)
{
	struct series_plan plan = params->repeat;

	if (!plan.most)
		plan.most = DEFAULT_MAX_REPEATS;
	plan.most_s = (uint32_t)((params->max_time_ns ? params->max_time_ns : DEFAULT_MAX_TIME_NS) / NS_PER_S);
	return plan;
}

int qperf_check_plan(const struct qperf_params *params, char *reason, size_t reason_size)
{
	const bool has_goal = params->repeat.until_percent > 0;

	if (has_goal && params->repeat.count > 1)
		return opt_refuse(reason, reason_size,
				  "--repeat sets the number of runs, --until the precision: give one of them");
	if (!has_goal && (params->repeat.most || params->max_time_ns))
		return opt_refuse(reason, reason_size,
				  "--max_repeats and a client's --max_time are limits of --until: give it as well");
	if (params->repeat.steady && !series_repeats(&params->repeat))
		return opt_refuse(reason, reason_size,
				  "--steady selects among several runs: give --repeat or --until as well");
	if (params->limits.intervals && (!params->interval_ns || (!params->limits.bw && !params->limits.msgrate)))
		return opt_refuse(reason, reason_size,
				  "--limit_intervals compares the rows of --report_interval with --limit_bw or "
				  "--limit_msgrate: give both as well");
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
	static char words[32];

	if (remote->number[PARAM_NO_MSGS] && !(test->classic_uses & PARAM_BIT(PARAM_NO_MSGS)))
		return "a number of messages (-n) in this test";
	if (test->number > TEST_LAST_CLASSIC)
		return "this test";
	if (!rules_classic_rdma(test, remote))
		return "RDMA tests with this one but those of RC, with -cm1";
	if (remote->number[PARAM_TIME] % NS_PER_S)
		return "a time that is not a whole number of seconds";
	if (remote->number[PARAM_FLIP])
		return "to swap sender and receiver (-f)";
	for (enum parameter p = 0; p < NUM_PARAMETERS; p++) {
		const char *text = side_text((struct qperf_side *)remote, p);

		if (p >= NUM_CLASSIC_PARAMETERS && (text ? text[0] : remote->number[p] != 0)) {
			snprintf(words, sizeof(words), "--%s", option_of(p)->long_name);
			return words;
		}
		if (!text && p != PARAM_TIME && p != PARAM_TIMEOUT && remote->number[p] > UINT32_MAX)
			return "a number above 4294967295";
	}
	return NULL;
}
