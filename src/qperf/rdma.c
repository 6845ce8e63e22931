// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The RDMA tests: qperf's parameters as the layers below know them, one queue pair each side, and the loops of loops/.
 * What a side counts are completions inside of the time of the test.
 */
#include "qperf/rdma.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loops/run.h"
#include "memory/memory.h"
#include "qperf/values.h"
#include "qperf/verify.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/stop.h"
#include "util/wait.h"
#include "verbs/completion.h"
#include "verbs/event.h"
#include "verbs/perftest_resources.h"
#include "verbs/verbs_config.h"

#define TX_DEPTH     128
#define RX_DEPTH     512
#define POLL_BATCH   16
#define MODERATION   32 /* messages of a completion, where they are small */
#define SMALL_BYTES  8192
#define QP_TIMEOUT   14
#define MOST_RETRIES 7
#define TICK_NS	     1e8
#define LATE_NS	     1e8 /* behind its time, before a ping-pong whose answer does not come ends */
#define QUIET_NS     5e7 /* behind the word that all is sent, for what is still on its way */
#define LOOK_MS	     100
#define MS_OF_NS     1000000

/* session->own of an RDMA test. */
struct rdma {
	char device_name[PARAM_TEXT_SIZE];
	struct verbs_config config;
	struct device device;
	struct traffic traffic;
	struct resources resources;
	struct event_log events;
	struct run run;
	struct latency own_samples; /* of a side that nobody asks for them */
	bool told_done;
	uint64_t done_cycles; /* when the peer said so; 0: not yet */
	bool stalled;
};

static struct rdma only; /* a process has one test at a time */

/* --- what is asked of the layers below --- */

/* "mlx5_0:2"; "" the first device. */
static int read_id(const char *id, struct rdma *rdma)
{
	const char *colon = strchr(id, ':');
	const char *fault;
	uint64_t port = 1;

	snprintf(rdma->device_name, sizeof(rdma->device_name), "%.*s", (int)(colon ? (size_t)(colon - id) : strlen(id)),
		 id);
	if (colon && value_integer(colon + 1, 1, 255, &port, &fault)) {
		log_error("%s: the port of the device is %s", id, fault);
		return -EINVAL;
	}
	rdma->config.port = (uint8_t)port;
	rdma->config.port_is_given = colon != NULL;
	return 0;
}

/* -sr: lanes and their speed, or Gb/s. */
static double gbits_of(const char *rate)
{
	static const struct {
		const char *name;
		double gbits;
	} lanes[] = {
		{"1xSDR", 2.5}, {"1xDDR", 5},  {"1xQDR", 10}, {"4xSDR", 10}, {"4xDDR", 20},
		{"4xQDR", 40},	{"8xSDR", 20}, {"8xDDR", 40}, {"8xQDR", 80},
	};

	for (size_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++)
		if (strcmp(rate, lanes[i].name) == 0)
			return lanes[i].gbits;
	return strtod(rate, NULL); /* "" and "max" are 0: no limit */
}

static int configure(const struct session *session, struct rdma *rdma)
{
	const struct qperf_side *side = &session->side;
	const int kind = session->test->kind;
	const bool latency = session->test->measure == MEASURE_LATENCY;
	const uint64_t count = side->number[PARAM_NO_MSGS];
	const uint32_t tx_depth = latency ? 1 : TX_DEPTH;
	const struct traffic_spec spec = {
		.verb = RDMA_VERB(kind),
		.metric = latency ? METRIC_LAT : METRIC_BW,
		.transport = RDMA_TRANSPORT(kind),
		.atomic_type = kind & RDMA_SWAP ? ATOMIC_CMP_AND_SWAP : ATOMIC_FETCH_AND_ADD,
		.with_imm = kind & RDMA_IMM,
		.bidirectional = kind & RDMA_BOTH,
		.reversed = side->number[PARAM_FLIP] != 0,
	};

	rdma->traffic = traffic_of(&spec, session->client ? SIDE_CLIENT : SIDE_SERVER);
	rdma->config = (struct verbs_config){
		.device_name = rdma->device_name,
		.gid_index = CONFIG_AUTO,
		.mtu = (uint32_t)side->number[PARAM_MTU_SIZE],
		.sl = (uint8_t)side->number[PARAM_SERVICE_LEVEL],
		.dlid = CONFIG_AUTO,
		.qp_timeout = QP_TIMEOUT,
		.rdma_cm = side->number[PARAM_USE_CM] != 0,
		.tos = CONFIG_AUTO,
		.retry_count = MOST_RETRIES,
		.rate_gbits = gbits_of(side->static_rate),
		.transport = spec.transport,
		.traffic = rdma->traffic,
		.num_qps = 1,
		.tx_depth = count && count < tx_depth ? (uint32_t)count : tx_depth,
		.rx_depth = RX_DEPTH,
		.post_list = 1,
		.recv_post_list = 1,
		.inline_size = CONFIG_AUTO,
		.outs = side->number[PARAM_RD_ATOMIC] ? (int)side->number[PARAM_RD_ATOMIC] : CONFIG_AUTO,
		.events = !side->number[PARAM_POLL_MODE] && !(kind & RDMA_MEMORY),
		.size = spec.verb == VERB_ATOMIC ? RDMA_ATOMIC_BYTES : side->number[PARAM_MSG_SIZE],
		.memory = &memory_host,
		.payload_file = "",
	};
	if (kind & RDMA_VERIFY) /* each request has its own place for what it returns */
		rdma->config.size = (uint64_t)VERIFY_MAX_DEPTH * RDMA_ATOMIC_BYTES;
	return read_id(side->id, rdma);
}

/* IPv4 in the form of IPv6 names the same GID as IPv4. */
static void unmap(struct sockaddr_storage *address)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;
	struct sockaddr_in in = {.sin_family = AF_INET};

	if (address->ss_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		return;
	in.sin_port = in6->sin6_port;
	memcpy(&in.sin_addr, in6->sin6_addr.s6_addr + 12, sizeof(in.sin_addr));
	memset(address, 0, sizeof(*address));
	memcpy(address, &in, sizeof(in));
}

/* --- opening --- */

static int look(void *owner)
{
	const struct session *session = owner;

	if (control_look(session->control) != CONTROL_GONE)
		return 0;
	log_error("the other side has gone while the queue pairs were connected");
	return -ECONNRESET;
}

static int exchange_endpoints(struct session *session, struct rdma *rdma)
{
	uint8_t bytes[FRAME_MAX_PAYLOAD];
	size_t length;
	int ret = control_send_frame(session->control, FRAME_ENDPOINT, bytes,
				     wire_endpoint(&rdma->resources.local[0], bytes));

	if (!ret)
		ret = control_receive_frame(session->control, FRAME_ENDPOINT, bytes, &length, "the queue pair");
	if (ret)
		return ret;
	if (wire_read_endpoint(bytes, length, &rdma->resources.remote[0])) {
		log_error("the other side's queue pair makes no sense");
		return -EPROTO;
	}
	return 0;
}

/* What is a default may be less, and comes out the same on both sides, which know both MTUs by then. */
static int check_size(struct session *session, struct rdma *rdma, uint64_t most)
{
	if (rdma->config.size <= most)
		return 0;
	if (rdma->traffic.transport->one_packet && rdma->config.size == session->test->default_size) {
		rdma->config.size = most;
		session->side.number[PARAM_MSG_SIZE] = most;
		return 0;
	}
	log_error("%s: a message size of %" PRIu64 " bytes: %s can carry %" PRIu64 " at most (--msg_size)",
		  session->test->name, rdma->config.size, rdma->device.name, most);
	return -EMSGSIZE;
}

static int open_resources(struct session *session, struct rdma *rdma)
{
	struct meeting meeting = {
		.addresses = {.local = session->control->local, .peer = session->control->peer},
		.asks = session->client,
		.timeout_ms = (int64_t)(session->control->timeout_ns / MS_OF_NS),
		.look = look,
		.owner = session,
	};
	uint64_t most;
	int ret;

	unmap(&meeting.addresses.local);
	unmap(&meeting.addresses.peer);
	ret = device_open(&rdma->device, &rdma->config);
	if (ret)
		return ret;
	/* rdma_cm is to take the device that was opened. */
	snprintf(meeting.addresses.device, sizeof(meeting.addresses.device), "%s", rdma->device.name);
	meeting.addresses.port = rdma->device.port;
	ret = device_choose_address(&rdma->device, &rdma->config, &meeting.addresses);
	if (!ret)
		ret = device_max_message(&rdma->device, &rdma->config, &most);
	if (!ret)
		ret = check_size(session, rdma, most);
	if (ret)
		return ret;
	event_log_begin(&rdma->events, &rdma->device);
	return resources_open(&rdma->resources, &rdma->device, &rdma->config, &meeting, rdma->config.size);
}

static uint64_t tick(struct run *run, uint64_t now);
static enum idle_answer idle(struct run *run);

/* As with ib_*: a completion for many messages where they are small, and for each one where it takes long. */
static uint32_t moderation(const struct verbs_config *config, enum measure measure)
{
	if (measure == MEASURE_LATENCY || config->size > SMALL_BYTES)
		return 1;
	return config->tx_depth < MODERATION ? config->tx_depth : MODERATION;
}

static void fill_run(struct session *session, struct rdma *rdma)
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
	run->plan.cq_mod = moderation(config, session->test->measure);
	run->plan.post_list = config->post_list;
	run->plan.recv_post_list = config->recv_post_list;
	run->plan.cqe_poll = POLL_BATCH;
	run->plan.dynamic_poll = !session->samples;
	run->plan.end_sample_cycles = UINT64_MAX;
	run->plan.end_cycles = UINT64_MAX;
	run->plan.begins = rdma->traffic.begins;
	run->plan.begin_after = 1;
	run->plan.recv_header_bytes = rdma->traffic.transport->recv_header_bytes;
	run->plan.latency = session->samples ? session->samples : &rdma->own_samples;
	run->hooks.tick = tick;
	run->hooks.idle = idle;
	run->hooks.owner = session;
}

static int open_rdma(struct session *session)
{
	struct rdma *rdma = &only;
	int ret;

	memset(rdma, 0, sizeof(*rdma));
	session->own = rdma;
	session->without_alarm = true;
	session->account.spins = session->side.number[PARAM_POLL_MODE] || session->test->kind & RDMA_MEMORY;
	ret = configure(session, rdma);
	if (ret)
		return ret;
	ret = latency_open(&rdma->own_samples, 0);
	if (!ret)
		ret = open_resources(session, rdma);
	if (!ret)
		ret = exchange_endpoints(session, rdma);
	if (!ret)
		ret = resources_connect(&rdma->resources, rdma->resources.remote, 1);
	if (!ret)
		ret = check_size(session, rdma, rdma->resources.max_message);
	if (!ret)
		ret = resources_prepare(&rdma->resources, rdma->config.size);
	if (ret)
		return ret;
	/* What atomics count in begins with zero; of other tests nobody looks at the data. */
	memset(rdma->resources.buffers[0].addr, 0, RDMA_ATOMIC_BYTES);
	fill_run(session, rdma);
	ret = rdma->traffic.receives ? loop_post_receives(&rdma->run) : 0;
	if (ret)
		log_error("can't post receives: %s", strerror(-ret));
	snprintf(session->account.how, sizeof(session->account.how), "verbs on %.20s", rdma->device.name);
	return ret;
}

static void close_rdma(struct session *session)
{
	struct rdma *rdma = session->own;

	if (!rdma)
		return;
	resources_close(&rdma->resources);
	device_close(&rdma->device);
	latency_close(&rdma->own_samples);
	session->own = NULL;
}

/* --- while it runs --- */

/* The loops themselves look at the time. */
static uint64_t tick(struct run *run, uint64_t now)
{
	struct session *session = run->hooks.owner;
	const struct rdma *rdma = session->own;

	session->account.sent.msgs = rdma->traffic.posts ? run->result.completed : 0;
	session->account.received.msgs = run->result.received;
	session->account.sent.bytes = session->account.sent.msgs * run->plan.size;
	session->account.received.bytes = session->account.received.msgs * run->plan.size;
	if (now < session->end_cycles && session_tick(session) &&
	    (session->stopped || session->peer_gone || rdma->traffic.ping_pong))
		run->result.stopped = true;
	return now + clock_ns_to_cycles(TICK_NS);
}

/*
 * The peer has said that it has sent all, and that word may come before its last messages do: is it quiet since? A
 * receiver that knows how many are coming does not depend on it.
 */
static bool is_quiet(struct session *session, struct rdma *rdma, const struct run *run)
{
	const uint64_t now = clock_cycles(), grace = clock_ns_to_cycles(QUIET_NS);

	if (!session->peer_done)
		return false;
	if (!rdma->done_cycles)
		rdma->done_cycles = now;
	return now - rdma->done_cycles > grace &&
	       (now < run->result.last_cycles || now - run->result.last_cycles > grace);
}

/* In both directions each side says when it has sent all, and goes on to receive. */
static enum idle_answer idle_both(struct session *session, struct rdma *rdma, const struct run *run,
				  enum control_state state)
{
	uint8_t bytes[FRAME_MAX_PAYLOAD];
	size_t length;

	if (run->result.sent_all && !rdma->told_done) {
		rdma->told_done = true;
		if (control_send_frame(session->control, FRAME_DONE, NULL, 0))
			return IDLE_ABORT;
	}
	if (state == CONTROL_SPOKE && !session->peer_done) {
		if (control_receive_frame(session->control, FRAME_DONE, bytes, &length, "the end of its messages"))
			return IDLE_ABORT;
		session->peer_done = true;
	}
	return rdma->told_done && is_quiet(session, rdma, run) ? IDLE_DRAIN : IDLE_WAIT;
}

static bool is_late(const struct session *session, struct rdma *rdma, const struct run *run)
{
	const uint64_t now = clock_cycles(), moved = run->result.last_cycles;

	/* One that got lost has no answer, and nobody sends it again. */
	if (rdma->traffic.begins && !rdma->traffic.transport->reliable && moved &&
	    now > moved + clock_ns_to_cycles(SESSION_LOST_NS))
		rdma->stalled = true;
	return rdma->stalled ||
	       (session->end_cycles != UINT64_MAX && now > session->end_cycles + clock_ns_to_cycles(LATE_NS));
}

static enum idle_answer idle(struct run *run)
{
	struct session *session = run->hooks.owner;
	struct rdma *rdma = session->own;
	const enum control_state state = control_look(session->control);

	if (stop_requested()) {
		session->stopped = true;
		return IDLE_ABORT;
	}
	if (state == CONTROL_GONE) {
		session->peer_gone = true;
		return IDLE_ABORT;
	}
	if (session->test->kind & RDMA_BOTH)
		return idle_both(session, rdma, run, state);
	session->peer_done = state == CONTROL_SPOKE;
	if (rdma->traffic.ping_pong) /* by number the last answer is still to come */
		return (run->plan.iters ? is_quiet(session, rdma, run) : session->peer_done) ||
				       is_late(session, rdma, run)
			       ? IDLE_ABORT
			       : IDLE_WAIT;
	return rdma->traffic.receives && is_quiet(session, rdma, run) ? IDLE_DRAIN : IDLE_WAIT;
}

static loop_fn loop_of(const struct traffic *traffic)
{
	if (!traffic->measures)
		return NULL;
	if (traffic->metric == METRIC_LAT)
		return traffic->pulls ? loop_lat_request : traffic->polls_memory ? loop_lat_write : loop_lat_send;
	if (traffic->posts)
		return traffic->receives ? loop_bw_both : loop_bw_send;
	return loop_bw_recv;
}

/* The side whose memory the other reads: it has nothing to do but to be there. */
static void sit(struct session *session)
{
	while (!session->peer_done && !session->peer_gone && !stop_requested()) {
		struct pollfd fds = {.fd = session->control->fd, .events = POLLIN};

		if (wait_fds(&fds, 1, deadline_in_ms(LOOK_MS)) != -ETIMEDOUT)
			session->peer_done = !stop_requested();
		if (control_look(session->control) == CONTROL_GONE)
			session->peer_gone = true;
	}
	session->stopped = stop_requested();
}

/* The peer's word, if there is one, tells more than the error that follows from its end. */
static int report_failure(struct session *session, struct rdma *rdma, int error)
{
	struct completion_failure failure = rdma->run.result.failure;
	char text[LOG_TEXT_SIZE];

	if (control_look(session->control) == CONTROL_GONE) {
		session->peer_gone = true;
		return 0; /* said by the caller */
	}
	event_take(&rdma->events, &rdma->device);
	if (error == -EIO && failure.status != IBV_WC_SUCCESS) {
		completion_find_first(&rdma->resources, &failure);
		completion_describe(&rdma->resources, &failure, rdma->run.result.completed + rdma->run.result.received,
				    &rdma->events, text, sizeof(text));
		log_error("%s failed: %s", session->test->name, text);
	} else {
		log_error("%s: %s refused a request: %s", session->test->name, rdma->device.name, strerror(-error));
	}
	return error;
}

static void take_counts(struct session *session, const struct rdma *rdma)
{
	const struct run_result *result = &rdma->run.result;
	const bool windowed = !rdma->run.plan.iters && rdma->run.plan.end_sample_cycles != UINT64_MAX;
	/* Of one exchange alone (-n 1) there is no sample, and finish_cycles is when the loop began. */
	const bool unsampled = rdma->traffic.metric == METRIC_LAT && !windowed && !result->sampled;
	struct account *account = &session->account;
	uint64_t sent = 0, received = 0;

	if (rdma->traffic.ping_pong) {
		sent = received = windowed ? result->sampled : result->completed;
	} else if (rdma->traffic.pulls && rdma->traffic.posts) {
		received = windowed && result->sampled ? result->sampled : result->completed;
	} else {
		if (rdma->traffic.posts)
			sent = windowed ? result->sampled : result->completed;
		if (rdma->traffic.receives && rdma->traffic.posts)
			received = windowed ? result->sampled_arrivals : result->received;
		else if (rdma->traffic.receives)
			received = windowed ? result->sampled : result->received;
	}
	account->sent.msgs = sent;
	account->sent.bytes = sent * rdma->run.plan.size;
	account->received.msgs = received;
	account->received.bytes = received * rdma->run.plan.size;
	if (rdma->traffic.pulls)
		account->peer_sent = account->received;
	if (rdma->stalled) {
		account->lost = 1;
		session->finish_cycles = result->last_cycles;
	} else if (result->finish_cycles > session->begin_cycles && !unsampled) {
		session->finish_cycles = result->finish_cycles;
	}
}

/* With both directions the word that all is sent comes before what each side counted. */
static int part(struct session *session, struct rdma *rdma)
{
	uint8_t bytes[FRAME_MAX_PAYLOAD];
	size_t length;
	int ret = 0;

	if (!(session->test->kind & RDMA_BOTH) || session->peer_gone)
		return 0;
	if (!rdma->told_done)
		ret = control_send_frame(session->control, FRAME_DONE, NULL, 0);
	if (!ret && !session->peer_done)
		ret = control_receive_frame(session->control, FRAME_DONE, bytes, &length, "the end of its messages");
	return ret;
}

/* As many at once as the messages that -m would hold, but no more than were set up. */
static int run_verify(struct session *session, struct rdma *rdma)
{
	const uint64_t places = session->side.number[PARAM_MSG_SIZE] / RDMA_ATOMIC_BYTES;
	const unsigned depth = places < rdma->config.tx_depth ? (unsigned)places : rdma->config.tx_depth;
	uint64_t *slots = (uint64_t *)(uintptr_t)rdma->run.queues.tx[0].sge[0].addr;
	struct verify_mistake mistake;
	const int ret = verify_atomics(&rdma->run, slots, depth, &mistake);

	if (ret == -EBADMSG)
		log_error("%s: request %" PRIu64 " returned 0x%" PRIx64 ", and 0x%" PRIx64 " was there",
			  session->test->name, mistake.request, mistake.found, mistake.expected);
	return ret;
}

static int run_rdma(struct session *session)
{
	struct rdma *rdma = session->own;
	struct run *run = &rdma->run;
	loop_fn loop = loop_of(&rdma->traffic);
	int ret;

	if (!loop) {
		sit(session);
		return 0;
	}
	run->hooks.next_tick_cycles = session->begin_cycles + clock_ns_to_cycles(TICK_NS);
	if (!run->plan.iters && session->end_cycles != UINT64_MAX) {
		run->plan.begin_sample_cycles = session->begin_cycles;
		run->plan.end_sample_cycles = session->end_cycles;
		if (rdma->traffic.initiator)
			run->plan.end_cycles = session->end_cycles;
	}
	ret = session->test->kind & RDMA_VERIFY ? run_verify(session, rdma) : loop(run);
	if (ret == -EBADMSG)
		return ret;
	take_counts(session, rdma);
	session->control->ignores_stop = session->stopped;
	return ret ? report_failure(session, rdma, ret) : part(session, rdma);
}

static const char *check_rdma(const struct test_row *test, const struct qperf_side *side)
{
	if (side->number[PARAM_USE_CM] && RDMA_TRANSPORT(test->kind) == TRANSPORT_UC)
		return "-cm: rdma_cm connects RC and UD";
	if (test->kind & RDMA_VERIFY && side->number[PARAM_MSG_SIZE] < RDMA_ATOMIC_BYTES)
		return "a message size below 8";
	if (side->number[PARAM_SERVICE_LEVEL] > 15)
		return "a service level above 15";
	if (side->number[PARAM_RD_ATOMIC] > 255)
		return "more than 255 READ or atomic requests in flight";
	return NULL;
}

const struct test_ops rdma_ops = {check_rdma, open_rdma, run_rdma, close_rdma};
