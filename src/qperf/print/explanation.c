// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See report.h. A process runs one test at a time. */
#include "qperf/print/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/examine.h"
#include "explain/explainer.h"
#include "qperf/options/options.h"

static struct explainer explainer;
static const struct advised program = {&qperf_options, QPERF_CLIENT | QPERF_SERVER};

/* RDMA: "mlx5_0:1"; without it what is used is not known. */
static void watch_device(const char *id)
{
	const size_t length = strcspn(id, ":");

	snprintf(explainer.watch.device, sizeof(explainer.watch.device), "%.*s", (int)length, id);
	explainer.watch.port = id[length] ? (unsigned)strtoul(id + length + 1, NULL, 10) : 1;
}

/* Of a test of sockets the host alone. */
static void examine(const struct control *control)
{
	const struct watch *watch = &explainer.watch;
	const struct doctor_options options = {.device = watch->device,
					       .timeout_ms = control->channel.timeout_ms,
					       .port = watch->port,
					       .disable_numa = true /* only -ca binds it */,
					       .program = program};

	doctor_examine(&options, watch->device[0] ? subject_open : subject_open_host,
		       &explainer.explanation.facts[0].doctor);
}

void qperf_watch_begin(const struct test_row *test, const struct control *control, const char *id)
{
	explainer = (struct explainer){0};
	if (test->group == GROUP_SOCKET)
		watch_find_netdev(channel_fd(&control->channel), explainer.watch.netdev);
	else
		watch_device(id);
	examine(control);
	explainer_begin(&explainer);
}

void qperf_watch_end(const struct control *control, int data_fd)
{
	const bool has_messages = data_fd >= 0;

	explainer_end(&explainer, has_messages ? data_fd : channel_fd(&control->channel), has_messages);
}

int qperf_exchange_facts(struct control *control)
{
	char words[MESSAGE_FACTS_SIZE];
	int ret;

	explainer_write(&explainer, words);
	ret = control_send_frame(control, MESSAGE_FACTS, words);
	if (!ret)
		ret = control_receive_frame(control, MESSAGE_FACTS, words);
	if (!ret)
		explainer_take(&explainer, words, "other side");
	return ret;
}

/* The smaller one that was asked for; 0: none. */
static uint64_t asked_buffer(const struct qperf_params *params)
{
	const uint64_t local = params->local.number[PARAM_SOCK_BUF_SIZE];
	const uint64_t remote = params->remote.number[PARAM_SOCK_BUF_SIZE];

	return local && (!remote || local < remote) ? local : remote;
}

const struct explanation *qperf_explain(const struct test_row *test, const struct qperf_params *params,
					const struct account *own, const struct figures *figures,
					const struct payload_path *path)
{
	const struct payload_limit limit = payload_limit_of(path, test_bytes(test, &params->local));
	const uint64_t messages = own->sent.msgs + own->received.msgs;

	explainer.explanation.test = (struct explain_test){
		.program = program,
		.is_client = true,
		.is_bandwidth = test->measure == MEASURE_BANDWIDTH || test->measure == MEASURE_BANDWIDTHS,
		.is_socket = test->group == GROUP_SOCKET,
		.message_bytes = (double)params->local.number[PARAM_MSG_SIZE],
		.messages = (double)messages,
		.packets = test->group == GROUP_SOCKET ? 0 : (double)messages,
		.message_rate = own->elapsed_s > 0 ? (double)messages / own->elapsed_s : 0,
		.bandwidth = figures->recv_bandwidth > 0 ? figures->recv_bandwidth : figures->send_bandwidth,
		.possible = payload_limit_least(&limit) * (path->sums ? 2 : 1),
		.queue_pairs = 1,
		.buffer_bytes = asked_buffer(params),
	};
	explain(&explainer.explanation);
	return &explainer.explanation;
}
