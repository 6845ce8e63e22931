// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The measurement of raw_ethernet_fs_rate; see steps.h. All rules of a round are created before the first is
 * destroyed, because creating one may take longer the more a device has.
 */
#include "session/steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/host.h"
#include "session/measure/measurement.h"
#include "session/print/print.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/stop.h"
#include "verbs/work/ethernet.h"

#define SECOND_NS 1e9

struct steering {
	struct session *session;
	struct ibv_flow **rules; /* the existing ones */
	uint64_t num_rules;
	uint64_t room;	 /* rules per round */
	uint64_t number; /* of the next rule; all are different */
	struct latency created;
	uint64_t created_cycles;
	uint64_t removed_cycles;
	uint64_t end_cycles; /* UINT64_MAX: one round */
};

static bool steering_is_over(const struct steering *steering)
{
	return stop_requested() || steering->session->ending.interrupted || clock_cycles() >= steering->end_cycles;
}

/* 0, also when the time was over before; or -errno, reported. */
static int steering_make_rules(struct steering *steering)
{
	struct resources *resources = &steering->session->resources;

	while (steering->num_rules < steering->room && !steering_is_over(steering)) {
		const unsigned qp = (unsigned)(steering->num_rules % resources->num_qps);
		struct ethernet_rule rule;
		uint64_t begin, end;
		int ret;

		ethernet_rule_fill(resources, steering->number, &rule);
		begin = clock_cycles();
		ret = ethernet_rule_create(resources, qp, &rule, &steering->rules[steering->num_rules]);
		end = clock_cycles();
		if (ret)
			return ret;
		steering->num_rules++;
		steering->number++;
		steering->created_cycles += end > begin ? end - begin : 0;
		latency_record_between(&steering->created, begin, end);
	}
	return 0;
}

/* The first Ctrl-C ends the run in order, a second one at once: the kernel destroys the rules with the process. */
static bool steering_is_left(struct steering *steering)
{
	struct session *session = steering->session;

	if (!stop_requested())
		return false;
	if (session->ending.interrupted)
		return true;
	stop_flag = 0; /* it was handled */
	session->ending.interrupted = true;
	log_info("destroying %llu steering rule%s; Ctrl-C again leaves that to the kernel",
		 (unsigned long long)steering->num_rules, steering->num_rules == 1 ? "" : "s");
	return false;
}

static int steering_take_back(struct steering *steering)
{
	int ret = 0;

	while (steering->num_rules && !steering_is_left(steering)) {
		const uint64_t begin = clock_cycles();
		const int err =
			ethernet_rule_destroy(&steering->session->resources, steering->rules[--steering->num_rules]);
		const uint64_t end = clock_cycles();

		steering->removed_cycles += end > begin ? end - begin : 0;
		ret = ret ? ret : err;
	}
	return ret;
}

static int steering_run_rounds(struct steering *steering)
{
	int ret, err;

	do {
		ret = steering_make_rules(steering);
		err = steering_take_back(steering);
		ret = ret ? ret : err;
	} while (!ret && steering->end_cycles != UINT64_MAX && !steering_is_over(steering));
	return ret;
}

static int steering_print_row(struct steering *steering, bool partial)
{
	struct session *session = steering->session;
	const struct report_row row = {
		.size = session->largest,
		.iterations = steering->created.histogram.count,
		.seconds = clock_cycles_to_seconds((double)steering->created_cycles),
		.removal_seconds = clock_cycles_to_seconds((double)steering->removed_cycles),
		.partial = partial,
		.latency = &steering->created,
		.cpu_percent = session->params.report.cpu_util ? cpu_use_percent(report_cpu(session->report)) : NAN,
	};

	steering->created.tick_seconds = clock_cycles_to_seconds(1);
	session_explain_row(session, &row);
	return row.iterations ? report_result(session->report, &row, REPORT_TOTAL) : 0;
}

static int steering_measure(struct steering *steering)
{
	struct session *session = steering->session;
	const uint32_t seconds = session->params.test.duration_s;
	int ret, printed;

	report_heading(session->report);
	cpu_use_start(report_cpu(session->report));
	steering->end_cycles = seconds ? clock_cycles() + clock_ns_to_cycles(seconds * SECOND_NS) : UINT64_MAX;
	ret = steering_run_rounds(steering);
	if (stop_requested()) {
		stop_flag = 0; /* it was handled, as in all programs */
		session->ending.interrupted = true;
	}
	printed = steering_print_row(steering, ret || session->ending.interrupted);
	return ret ? ret : printed;
}

int session_measure_steering(struct session *session)
{
	const uint64_t room = session->params.test.iters * session->resources.num_qps;
	struct steering *steering = calloc(1, sizeof(*steering)); /* its histogram is too large for a small stack */
	int ret = -ENOMEM;

	if (steering && room <= SIZE_MAX / sizeof(*steering->rules))
		steering->rules = malloc((size_t)room * sizeof(*steering->rules));
	if (!steering || !steering->rules || latency_open(&steering->created, session_raw_samples(session, room))) {
		log_error("no memory for %llu steering rules: lower -n or -q", (unsigned long long)room);
		goto out;
	}
	steering->session = session;
	steering->room = room;
	ret = steering_measure(steering);
	latency_close(&steering->created);
out:
	if (steering)
		free(steering->rules);
	free(steering);
	return ret;
}
