// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The RDMA tests: one QP on each side (rdma_setup.c), and the loops of loops/ with the hooks of rdma_idle.c. A side
 * counts the completions within the duration of the test.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loops/run.h"
#include "memory/memory.h"
#include "qperf/options/options.h"
#include "qperf/rdma/rdma_test.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/wait.h"
#include "verbs/device/adapter.h"
#include "verbs/work/wc_status.h"

#define POLL_BATCH    16
#define MODERATION    32 /* messages per completion, if they are small */
#define SMALL_BYTES   8192
#define ERROR_WAIT_MS 100 /* to wait for the peer's error message */

static struct rdma only; /* a process runs one test at a time */

/* --- opening --- */

/* As with ib_*: one completion for many small messages, and one for each message that takes long. */
static uint32_t moderation(const struct verbs_config *config, enum measure measure)
{
	if (measure == MEASURE_LATENCY || config->size > SMALL_BYTES)
		return 1;
	return config->tx_depth < MODERATION ? config->tx_depth : MODERATION;
}

static void rdma_fill_run(struct qperf_session *session, struct rdma *rdma)
{
	const struct verbs_config *config = &rdma->config;
	const struct resources *resources = &rdma->resources;
	struct run *run = &rdma->run;

	run->queues = resources->sets[0];
	run->plan.opcode = rdma->traffic.opcode;
	run->plan.inline_data = resources_inlines(resources, config->size);
	run->plan.size = session->test->kind & RDMA_VERIFY ? RDMA_ATOMIC_BYTES : config->size;
	run->plan.iters = session->side.number[PARAM_NO_MSGS];
	run->plan.tx_depth = config->tx_depth;
	run->plan.rx_depth = resources->rx_depth;
	run->plan.signals_all = adapter_signals_all(&rdma->device.attr, rdma->traffic.transport);
	run->plan.yields = rdma->device.is_software;
	run->plan.cq_mod = run->plan.signals_all ? 1 : moderation(config, session->test->measure);
	run->plan.post_list = config->post_list;
	run->plan.recv_post_list = config->recv_post_list;
	run->plan.cqe_poll = POLL_BATCH;
	run->plan.dynamic_poll = !session->client;
	run->plan.end_sample_cycles = UINT64_MAX;
	run->plan.end_cycles = UINT64_MAX;
	run->plan.begins = rdma->traffic.begins;
	run->plan.begin_after = 1;
	run->plan.recv_header_bytes = rdma->traffic.transport->recv_header_bytes;
	run->plan.latency = session->samples;
	run->hooks.tick = rdma_tick;
	run->hooks.idle = rdma_idle;
	run->hooks.arrived = session->side.number[PARAM_ACCESS_RECV] ? access_data : NULL;
	run->hooks.owner = session;
}

static void identify(struct device_identity *identity, const struct device *device)
{
	device_identify(device, identity);
	identity->memory = memory_host.name;
}

static int open_rdma(struct qperf_session *session)
{
	struct rdma *rdma = &only;
	int ret;

	memset(rdma, 0, sizeof(*rdma));
	session->own = rdma;
	session->without_alarm = true;
	session->samples_lost = rdma_writes_again(session->test);
	session->account.spins = session->side.number[PARAM_POLL_MODE] || session->test->kind & RDMA_MEMORY;
	ret = rdma_configure(session, rdma);
	if (ret)
		return ret;
	ret = rdma_open_resources(session, rdma);
	if (!ret)
		ret = session->control->dialect->exchanges_endpoints ? rdma_connect_by_endpoints(session, rdma)
								     : rdma_connect_classic(session, rdma);
	if (!ret)
		ret = rdma_check_size(session, rdma, rdma->resources.max_message);
	if (!ret)
		ret = resources_prepare(&rdma->resources, rdma->config.size);
	if (ret)
		return ret;
	/*
	 * Atomics use one word, as the manual page says. And the memory of a qperf 0.4.11 ends with the message, so
	 * small messages can't cycle over a page.
	 */
	if (!session->control->dialect->exchanges_endpoints || rdma->traffic.verb == VERB_ATOMIC) {
		rdma->resources.tx[0].step = 0;
		rdma->resources.tx[0].span = 1;
	}
	/* The counter of atomics starts at zero; other tests do not look at the data. */
	memset(rdma->resources.buffers[0].addr, 0, RDMA_ATOMIC_BYTES);
	rdma_fill_run(session, rdma);
	ret = rdma->traffic.receives ? loop_post_receives(&rdma->run) : 0;
	if (ret)
		log_error("cannot post receives: %s", strerror(-ret));
	identify(&session->sides->device, &rdma->device);
	session->sides->port = rdma->device.port;
	if (session->test->measure != MEASURE_LATENCY)
		rdma_find_path(session, rdma, rdma->resources.mtu);
	snprintf(session->account.how, sizeof(session->account.how), "verbs on %.20s", rdma->device.name);
	return ret;
}

static void close_rdma(struct qperf_session *session)
{
	struct rdma *rdma = session->own;

	if (!rdma)
		return;
	if (rdma->parts)
		resources_disconnect(&rdma->resources);
	resources_close(&rdma->resources);
	device_close(&rdma->device);
	session->own = NULL;
}

/*
 * If the peer has sent an error or closed the connection, that says more than the resulting local error; it may arrive
 * a little later.
 */
static int report_failure(struct qperf_session *session, struct rdma *rdma, int error)
{
	struct wc_failure failure = rdma->run.result.failure;
	struct pollfd fds = {.fd = channel_fd(&session->control->channel), .events = POLLIN};
	char text[LOG_TEXT_SIZE];
	int ret;

	if (session->control->dialect->announces_done)
		wait_fds_after_stop(&fds, 1, deadline_in_ms(ERROR_WAIT_MS));
	ret = control_receive_failure(session->control);
	if (ret)
		return ret;
	if (control_look(session->control) == CONTROL_GONE) {
		session->peer_gone = true;
		return 0; /* reported by the caller */
	}
	async_event_take(&rdma->events, &rdma->device);
	if (error == -EIO && failure.status != IBV_WC_SUCCESS) {
		wc_status_find_first(&rdma->resources, &failure);
		wc_status_describe(&rdma->resources, &failure, rdma->run.result.completed + rdma->run.result.received,
				   &rdma->events, text, sizeof(text));
		log_error("%s failed: %s", session->test->name, text);
	} else if (run_error_text(error, rdma->device.name, text, sizeof(text))) {
		log_error("%s failed: %s", session->test->name, text);
	} else {
		log_error("%s: %s refused a request: %s", session->test->name, rdma->device.name, strerror(-error));
	}
	return error;
}

static void take_counts(struct qperf_session *session, const struct rdma *rdma)
{
	const struct run_result *result = &rdma->run.result;
	/*
	 * The queue is filled before this side polls. If that alone takes the whole duration (64 MiB messages, a slow
	 * device), the first completions are seen after it: then all are counted, with the time that they took.
	 */
	const bool overran = !rdma->traffic.ping_pong && !result->sampled && result->completed + result->received;
	const bool latency = rdma->traffic.metric == METRIC_LAT;
	const bool windowed = !overran && !rdma->run.plan.iters && rdma->run.plan.end_sample_cycles != UINT64_MAX;
	/* A single exchange (-n 1) yields no sample, and finish_cycles is the start of the loop. */
	const bool unsampled = latency && !windowed && !result->sampled;
	struct account *account = &session->account;
	/* It is a sample, too, but was not answered. */
	const uint64_t answered = result->sampled - (result->open_cycles && !result->open_answered);
	/* The first exchange of a loop is no sample. */
	const bool leaves_out = latency && !rdma_has_numbers(session->test);
	const uint64_t in_time = answered + (leaves_out && result->completed > answered);
	uint64_t sent = 0, received = 0;

	session->open_cycles = result->open_cycles;
	session->open_answered = result->open_answered;
	if (rdma->traffic.ping_pong) {
		received = windowed ? in_time : result->completed;
		/* including lost ones, and the one that was open at the end */
		sent = rdma_has_numbers(session->test) && rdma->traffic.begins ? result->posted : received;
	} else if (rdma_brings(rdma)) {
		received = windowed ? in_time : result->completed;
	} else {
		if (rdma->traffic.posts)
			sent = windowed ? result->sampled : result->completed;
		if (rdma->traffic.receives && rdma->traffic.posts)
			received = windowed ? result->sampled_arrivals : result->received;
		else if (rdma->traffic.receives)
			received = windowed ? result->sampled : result->received;
	}
	if (session->test->measure == MEASURE_BANDWIDTHS && windowed) {
		account->late_sent = rdma->traffic.posts ? result->completed - sent : 0;
		account->late_received = rdma->traffic.receives ? result->received - received : 0;
	}
	session->posted = result->posted;
	account->sent.msgs = sent;
	account->sent.bytes = sent * rdma->run.plan.size;
	account->received.msgs = received;
	account->received.bytes = received * rdma->run.plan.size;
	/* The other side does not see accesses to its memory. */
	if (rdma->traffic.verb == VERB_READ)
		account->peer_sent = account->received;
	if (rdma->traffic.verb == VERB_ATOMIC)
		account->peer_received = account->sent;
	/* With one message in flight a poll finds one at most, and 0.4.11 has no such row. */
	account->max_cqes = latency ? 0 : result->most_found;
	account->lost = rdma->losses.messages;
	account->lost_s = clock_cycles_to_seconds((double)rdma->losses.cycles);
	if (overran)
		session->finish_cycles = result->last_cycles;
	else if (result->finish_cycles > session->begin_cycles && !unsampled)
		session->finish_cycles = latency && result->last_cycles ? result->last_cycles : result->finish_cycles;
}

/* In both directions, each side first reports that it has sent everything, and then its results. */
static int part(struct qperf_session *session, struct rdma *rdma)
{
	int ret;

	if (!(session->test->kind & RDMA_BOTH) || session->peer_gone || session->peer_still || session->interval_err ||
	    !session->control->dialect->announces_done)
		return 0;
	ret = rdma_send_done(session, rdma);
	if (!ret)
		ret = rdma_receive_done(session, rdma);
	/* What this side has measured is right, unlike what a test that verifies has found. */
	return ret == -EBADMSG ? -EPROTO : ret;
}

/* As many requests in flight as -m has room for results, up to the queue's depth. */
static int run_verify(struct qperf_session *session, struct rdma *rdma)
{
	const uint64_t places = session->side.number[PARAM_MSG_SIZE] / RDMA_ATOMIC_BYTES;
	const unsigned depth = places < rdma->config.tx_depth ? (unsigned)places : rdma->config.tx_depth;
	uint64_t *slots = (uint64_t *)(uintptr_t)rdma->run.queues.tx[0].sge[0].addr;
	struct verify_mistake mistake;
	const int ret = verify_atomics(&rdma->run, slots, depth, &mistake);

	if (ret == -EBADMSG)
		log_error("%s: request %" PRIu64 " returned 0x%" PRIx64 ", not 0x%" PRIx64 ", which was there",
			  session->test->name, mistake.request, mistake.found, mistake.expected);
	return ret;
}

static int run_rdma(struct qperf_session *session)
{
	struct rdma *rdma = session->own;
	struct run *run = &rdma->run;
	loop_fn loop = loop_of(&rdma->traffic);
	int ret, failure;

	if (!loop) {
		session->interval = NULL; /* its interval rows would be about the other side */
		rdma_sit(session);
		return 0;
	}
	run->hooks.next_tick_cycles = session->begin_cycles + clock_ns_to_cycles(RDMA_TICK_NS);
	if (!run->plan.iters && session->end_cycles != UINT64_MAX) {
		run->plan.begin_sample_cycles = session->begin_cycles;
		run->plan.end_sample_cycles = session->end_cycles;
	}
	/* Of a number and a time what comes first. */
	if (rdma->traffic.initiator)
		run->plan.end_cycles = session->end_cycles;
	if (session->test->kind & RDMA_VERIFY)
		ret = run_verify(session, rdma);
	else if (session->test->kind & RDMA_MEMORY && !session->control->dialect->exchanges_endpoints)
		ret = ping_classic(run, session->client, run->queues.tx[0].poll_byte + 1 - run->plan.size);
	else if (rdma_has_numbers(session->test))
		ret = ping_numbered(run, clock_ns_to_cycles((double)session->answer_timeout_ns), &rdma->losses);
	else
		ret = loop(run);
	if (ret == -EBADMSG && session->test->kind & RDMA_VERIFY)
		return ret;
	/* The loops check for the user's request themselves. */
	session->stopped |= run_was_interrupted(run);
	session->control->conn.ignores_stop = session->stopped;
	take_counts(session, rdma);
	if (rdma->failed)
		return -ECANCELED; /* reported */
	failure = control_receive_failure(session->control);
	if (failure)
		return failure;
	return ret ? report_failure(session, rdma, ret) : part(session, rdma);
}

static const char *check_rdma(const struct test_row *test, const struct qperf_side *side)
{
	if (side->number[PARAM_USE_CM] && !transport_traits(RDMA_TRANSPORT(test->kind))->rdma_cm)
		return "-cm: rdma_cm connects only RC and UD";
	if (test->kind & RDMA_VERIFY && side->number[PARAM_MSG_SIZE] < RDMA_ATOMIC_BYTES)
		return "a message size below 8";
	if (side->number[PARAM_USE_CM] && (side->number[PARAM_ALT_PORT] || side->number[PARAM_SRC_PATH_BITS]))
		return "-ap or -sp with -cm: rdma_cm chooses the path";
	if (side->number[PARAM_ALT_PORT] && transport_traits(RDMA_TRANSPORT(test->kind))->datagram)
		return "-ap: a datagram has no connection that could migrate";
	if (value_static_rate(side->static_rate) < 0)
		return "a static rate that does not exist";
	return NULL;
}

const struct test_ops rdma_ops = {check_rdma, open_rdma, run_rdma, close_rdma};
