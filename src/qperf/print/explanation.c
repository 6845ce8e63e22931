// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See report.h. A process runs one test at a time. */
#include "qperf/print/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/watch.h"
#include "util/log.h"
#include "util/sysfs.h"

static struct watch watch;
static struct explanation explanation;

/* RDMA: "mlx5_0:1"; without it what is used is not known. */
static void watch_device(const char *id)
{
	const size_t length = strcspn(id, ":");

	snprintf(watch.device, sizeof(watch.device), "%.*s", (int)length, id);
	watch.port = id[length] ? (unsigned)strtoul(id + length + 1, NULL, 10) : 1;
}

void qperf_watch_begin(const struct test_row *test, const struct control *control, const char *id)
{
	watch = (struct watch){.proc = "/proc", .sys = sysfs_root()};
	explanation = (struct explanation){0};
	if (test->group == GROUP_SOCKET)
		watch_find_netdev(control->conn.fd, watch.netdev);
	else
		watch_device(id);
	watch_begin(&watch);
}

void qperf_watch_end(const struct control *control, int data_fd)
{
	struct facts *facts = &explanation.facts[0];

	watch_end(&watch, facts);
	if (data_fd < 0)
		watch_connection(facts, control->conn.fd, false /* has messages */);
	else
		watch_connection(facts, data_fd, true /* has messages */);
}

int qperf_exchange_facts(struct control *control)
{
	char own[FACTS_WORDS_SIZE], theirs[FACTS_WORDS_SIZE];
	int ret;

	facts_write(&explanation.facts[0], own);
	ret = control_send_frame(control, FRAME_FACTS, own);
	if (!ret)
		ret = control_receive_frame(control, FRAME_FACTS, theirs);
	if (ret)
		return ret;
	explanation.has_peer = !facts_read(&explanation.facts[1], theirs);
	if (!explanation.has_peer)
		log_warning("--explain: the facts of the other side are malformed");
	return 0;
}

/* The smaller one that was asked for; 0: none. */
static uint64_t asked_buffer(const struct qperf_params *params)
{
	const uint64_t local = params->local.number[PARAM_SOCK_BUF_SIZE];
	const uint64_t remote = params->remote.number[PARAM_SOCK_BUF_SIZE];

	return local && (!remote || local < remote) ? local : remote;
}

const struct explanation *qperf_explain(const struct test_row *test, const struct qperf_params *params,
					const struct account *own, const struct figures *figures)
{
	const uint64_t messages = own->sent.msgs + own->received.msgs;

	explanation.test = (struct explain_test){
		.is_client = true,
		.is_bandwidth = test->measure == MEASURE_BANDWIDTH || test->measure == MEASURE_BANDWIDTHS,
		.is_socket = test->group == GROUP_SOCKET,
		.message_bytes = (double)params->local.number[PARAM_MSG_SIZE],
		.messages = (double)messages,
		.packets = test->group == GROUP_SOCKET ? 0 : (double)messages,
		.message_rate = own->elapsed_s > 0 ? (double)messages / own->elapsed_s : 0,
		.bandwidth = figures->recv_bandwidth > 0 ? figures->recv_bandwidth : figures->send_bandwidth,
		.queue_pairs = 1,
		.buffer_bytes = asked_buffer(params),
	};
	explain(&explanation);
	return &explanation;
}
