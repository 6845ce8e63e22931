// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See print.h. */
#include "session/print/print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/examine.h"
#include "explain/explainer.h"
#include "params/options.h"
#include "params/programs.h"
#include "session/group/member.h"
#include "verbs/device/hardware.h"
#include "verbs/device/mtu.h"

static struct explain_test describe(const struct session *session)
{
	const struct params *params = &session->params;
	const bool is_bandwidth = session->traffic.metric == METRIC_BW;

	return (struct explain_test){
		.program = {&params_options, program_bit(params->program)},
		.is_client = session->comm.client,
		.is_bandwidth = is_bandwidth,
		.is_software = session->device.is_software,
		.waits = params->verbs.events,
		.is_setup = session->traffic.metric == METRIC_STEERING,
		.without = session->traffic.metric == METRIC_STEERING ? "" : NULL, /* there is one side */
		.queue_pairs = params->queues.num_qps,
		.depth = is_bandwidth ? params->verbs.tx_depth * params->queues.num_qps : 0,
		.mtu = session->resources.mtu,
		.most_mtu = device_is_iwarp(&session->device) ? 0 : mtu_bytes(session->device.port_attr.max_mtu),
	};
}

/* By now the test has bound itself, and has the huge pages that it needs. */
static void examine(const struct session *session)
{
	const struct doctor_options options = {
		.device = session->device.name,
		.port = session->device.port,
		.transport = session->params.verbs.transport,
		.timeout_ms = params_timeout_ms(&session->params),
		.disable_numa = session->params.cpus.disable_numa,
		.program = session->explainer->explanation.test.program,
	};

	doctor_examine(&options, subject_open, &session->explainer->explanation.facts[0].doctor);
}

int session_begin_explanation(struct session *session)
{
	struct explainer *explainer;
	struct hardware hardware;

	if (!session->params.general.explain)
		return 0;
	explainer = session->member ? &session->member->slot->explainer : malloc(sizeof(*explainer));
	if (!explainer)
		return log_fail(-ENOMEM, "no memory for --explain");
	memset(explainer, 0, sizeof(*explainer));
	explainer->explanation.test = describe(session);
	if (!session->device.is_software) {
		snprintf(explainer->watch.device, sizeof(explainer->watch.device), "%s", session->device.name);
		explainer->watch.port = session->device.port;
		device_hardware(&session->device, &hardware);
		explainer->watch.link_gbits = hardware.link_gbits;
		device_netdev(&session->device, explainer->watch.netdev);
	}
	session->explainer = explainer;
	/* Without a side channel no peer waits for this side, but its frames may be coming already. */
	if (!session->comm.traits->silent)
		examine(session);
	explainer_begin(explainer);
	return 0;
}

void session_explain_row(struct session *session, const struct report_row *row)
{
	const struct payload_limit limit = payload_limit_of(&session->path, row->size);
	struct explain_test *test;

	if (!session->explainer)
		return;
	test = &session->explainer->explanation.test;
	test->message_bytes = (double)row->size;
	test->messages += (double)row->iterations;
	test->packets += (double)row->iterations * ceil((double)row->size / session->resources.mtu);
	test->message_rate = row->message_rate;
	test->bandwidth = row->bw_average;
	/* With a rate limit it waits in any case. */
	test->waits = session->params.verbs.events && !payload_is_paced(&session->path, row->size, row->message_rate);
	if (!session->path.copies)
		test->possible = payload_limit_least(&limit) * (session->path.sums ? 2 : 1);
}

int session_end_explanation(struct session *session)
{
	char own[MESSAGE_FACTS_SIZE], theirs[MESSAGE_FACTS_SIZE];
	struct explainer *explainer = session->explainer;
	int ret;

	if (!explainer)
		return 0;
	explainer_end(explainer, channel_fd(&session->comm.channel), false /* has messages */);
	if (session->comm.traits->silent)
		examine(session);
	if (session->comm.traits->sends_results) {
		explainer_write(explainer, own);
		ret = comm_swap(&session->comm, MESSAGE_FACTS, own, theirs);
		if (ret)
			return ret;
		explainer_take(explainer, theirs, comm_peer_role(&session->comm));
	}
	if (session->member) /* its group looks at all pairs */
		return 0;
	explain(&explainer->explanation);
	explain_results(&explainer->explanation, report_results(session->report));
	return 0;
}
