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
#include <unistd.h>

#include "loops/run.h"
#include "memory/memory.h"
#include "qperf/access.h"
#include "qperf/rdma_classic.h"
#include "qperf/unreliable.h"
#include "qperf/values.h"
#include "qperf/verify.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/stop.h"
#include "util/wait.h"
#include "verbs/async_event.h"
#include "verbs/perftest_resources.h"
#include "verbs/site.h"
#include "verbs/verbs_config.h"
#include "verbs/wc_status.h"

#define TX_DEPTH	 128
#define RX_DEPTH	 512
#define CLASSIC_RX_DEPTH 1024 /* as many as it has sends in flight */
#define POLL_BATCH	 16
#define WRITES_AGAIN	 1024 /* places in the send queue for what may be lost */
#define MODERATION	 32   /* messages of a completion, where they are small */
#define SMALL_BYTES	 8192
#define QP_TIMEOUT	 14
#define MOST_RETRIES	 7
#define TICK_NS		 1e8
#define LATE_NS		 1e8 /* behind its time, before a ping-pong whose answer does not come ends */
#define QUIET_NS	 5e7 /* behind the word that all is sent, for what is still on its way */
#define LOOK_MS		 100
#define MS_OF_NS	 1000000

/* session->own of an RDMA test. */
struct rdma {
	char device_name[PARAM_TEXT_SIZE];
	struct verbs_config config;
	struct device device;
	struct traffic traffic;
	struct resources resources;
	struct async_events events;
	struct run run;
	struct latency own_samples; /* of a side that is not asked for them */

	/* Both directions: each side says that it has sent all. Once read, session->peer_done does not know of it. */
	bool told_done;
	bool heard_done;

	bool failed; /* and what failed is reported */
	/* When this side began to wait for completions of what it posted, and what had completed and come by then. */

	bool parts;	      /* the connection is to be taken down in words, which qperf 0.4.11 waits for */
	uint64_t done_cycles; /* when the peer said so; 0: not yet */
	struct losses losses;
	uint64_t moved;	       /* messages, of both directions, when idle() saw them last */
	uint64_t moved_cycles; /* and when that was more than before */
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

/* A ping-pong that may lose messages: those that arrive as such have numbers, */
static bool has_numbers(const struct test_row *test)
{
	return test->measure == MEASURE_LATENCY && !(test->kind & RDMA_MEMORY) &&
	       !transport_traits(RDMA_TRANSPORT(test->kind))->reliable;
}

/* and those that only change memory can be written twice. */
static bool writes_again(const struct test_row *test)
{
	return test->kind & RDMA_MEMORY && !transport_traits(RDMA_TRANSPORT(test->kind))->reliable;
}

static int configure(const struct qperf_session *session, struct rdma *rdma)
{
	const struct qperf_side *side = &session->side;
	const int kind = session->test->kind;
	const bool latency = session->test->measure == MEASURE_LATENCY;
	const uint64_t count = side->number[PARAM_NO_MSGS];
	const uint32_t tx_depth = writes_again(session->test) ? WRITES_AGAIN : latency ? 1 : TX_DEPTH;
	const struct traffic_spec spec = {
		.verb = RDMA_VERB(kind),
		.metric = latency ? METRIC_LAT : METRIC_BW,
		.transport = RDMA_TRANSPORT(kind),
		.atomic_type = kind & RDMA_SWAP ? ATOMIC_CMP_AND_SWAP : ATOMIC_FETCH_AND_ADD,
		.with_imm = kind & RDMA_IMM || has_numbers(session->test),
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
		.src_path_bits = (uint8_t)side->number[PARAM_SRC_PATH_BITS],
		.alt_port = (uint8_t)side->number[PARAM_ALT_PORT],
		.qp_timeout = QP_TIMEOUT,
		.rdma_cm = side->number[PARAM_USE_CM] != 0,
		.cm_hint = "; use -cm1",
		.tos = CONFIG_AUTO,
		.retry_count = MOST_RETRIES,
		.rate_gbits = gbits_of(side->static_rate),
		.rate_hint = ", as a static rate asks it to (--static_rate)",
		.transport = spec.transport,
		.datagram_hint = "; use ud_bw, ud_bi_bw or ud_lat",
		.traffic = rdma->traffic,
		.num_qps = 1,
		.shares_receives = transport_traits(spec.transport)->needs_srq,
		.tx_depth = count && count < tx_depth ? (uint32_t)count : tx_depth,
		.rx_depth = session->control->native ? RX_DEPTH : CLASSIC_RX_DEPTH,
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

static int rdma_look(void *owner)
{
	const struct qperf_session *session = owner;

	if (control_look(session->control) != CONTROL_GONE)
		return 0;
	log_error("the other side has gone while the queue pairs were connected");
	return -ECONNRESET;
}

static int tell_endpoint(struct qperf_session *session, const struct rdma_side *own)
{
	uint8_t bytes[FRAME_MAX_PAYLOAD];

	return control_send_frame(session->control, FRAME_ENDPOINT, bytes, wire_endpoint(own, bytes));
}

static int hear_endpoint(struct qperf_session *session, struct rdma_side *peer)
{
	uint8_t bytes[FRAME_MAX_PAYLOAD];
	size_t length;
	int ret = control_receive_frame(session->control, FRAME_ENDPOINT, bytes, &length, "the queue pair");

	if (!ret && wire_read_endpoint(bytes, length, peer)) {
		log_error("the other side's queue pair makes no sense");
		ret = -EPROTO;
	}
	return ret;
}

/* On the server, which tells the client. */
static int check_sites(const struct rdma_side *own, const struct rdma_side *peer)
{
	char reason[LOG_TEXT_SIZE];
	const int ret = site_check((struct site_side){&own->site, own->host},
				   (struct site_side){&peer->site, peer->host}, "-i", reason, sizeof(reason));

	if (ret)
		log_error("%s", reason);
	return ret;
}

/* The server's comes when it has the client's, so that what can't work is refused before anything is tried. */
static int rdma_exchange_endpoints(struct qperf_session *session, struct rdma *rdma)
{
	struct rdma_side own = {.endpoint = rdma->resources.local[0]}, peer;
	int ret = 0;

	site_describe(&rdma->device, &own.site);
	gethostname(own.host, sizeof(own.host) - 1);
	if (session->client)
		ret = tell_endpoint(session, &own);
	if (!ret)
		ret = hear_endpoint(session, &peer);
	if (!ret && !session->client)
		ret = check_sites(&own, &peer);
	if (!ret && !session->client)
		ret = tell_endpoint(session, &own);
	if (ret)
		return ret;
	rdma->resources.remote[0] = peer.endpoint;
	/* One endpoint tells of both QPs, where there are two. */
	if (rdma->resources.targets) {
		rdma->resources.remote[1] = peer.endpoint;
		rdma->resources.remote[1].qpn = peer.endpoint.target_qpn;
	}
	return 0;
}

/* What is a default may be less, and comes out the same on both sides, which know both MTUs by then. */
static int check_size(struct qperf_session *session, struct rdma *rdma, uint64_t most)
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

static int open_resources(struct qperf_session *session, struct rdma *rdma)
{
	struct cm_setup setup = {
		.addresses = {.local = session->control->local, .peer = session->control->peer},
		.is_active = session->client,
		.timeout_ms = (int64_t)(session->control->timeout_ns / MS_OF_NS),
		.look = rdma_look,
		.owner = session,
	};
	uint64_t most;
	int ret;

	unmap(&setup.addresses.local);
	unmap(&setup.addresses.peer);
	ret = device_open(&rdma->device, &rdma->config);
	if (ret)
		return ret;
	/* rdma_cm is to take the device that was opened. */
	snprintf(setup.addresses.device, sizeof(setup.addresses.device), "%s", rdma->device.name);
	setup.addresses.port = rdma->device.port;
	ret = device_choose_address(&rdma->device, &rdma->config, &setup.addresses);
	if (!ret)
		ret = device_max_message(&rdma->device, &rdma->config, &most);
	if (!ret)
		ret = check_size(session, rdma, most);
	if (ret)
		return ret;
	async_event_begin(&rdma->events, &rdma->device);
	return resources_open(&rdma->resources, &rdma->device, &rdma->config, &setup, rdma->config.size);
}

static uint64_t rdma_tick(struct run *run, uint64_t now);
static enum idle_answer idle(struct run *run);

/* As with ib_*: a completion for many messages where they are small, and for each one where it takes long. */
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
	run->plan.signals_all = rdma->device.signals_all;
	run->plan.cq_mod = run->plan.signals_all ? 1 : moderation(config, session->test->measure);
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
	run->hooks.tick = rdma_tick;
	run->hooks.idle = idle;
	run->hooks.arrived = session->side.number[PARAM_ACCESS_RECV] ? access_data : NULL;
	run->hooks.owner = session;
}

static int open_rdma(struct qperf_session *session)
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
	if (!ret && session->control->native)
		ret = rdma_exchange_endpoints(session, rdma);
	if (!ret && session->control->native)
		ret = resources_connect(&rdma->resources, rdma->resources.remote, rdma->resources.num_endpoints);
	if (!ret && !session->control->native) {
		ret = classic_connect(session, &rdma->resources);
		rdma->parts = !ret;
	}
	if (!ret)
		ret = check_size(session, rdma, rdma->resources.max_message);
	if (!ret)
		ret = resources_prepare(&rdma->resources, rdma->config.size);
	if (ret)
		return ret;
	/*
	 * Atomics go to one word, as the man page says. And the memory of a qperf 0.4.11 ends with the message: small
	 * ones can't walk over a page of it.
	 */
	if (!session->control->native || rdma->traffic.verb == VERB_ATOMIC) {
		rdma->resources.tx[0].step = 0;
		rdma->resources.tx[0].span = 1;
	}
	/* What atomics count in begins with zero; in other tests the data is not looked at. */
	memset(rdma->resources.buffers[0].addr, 0, RDMA_ATOMIC_BYTES);
	rdma_fill_run(session, rdma);
	ret = rdma->traffic.receives ? loop_post_receives(&rdma->run) : 0;
	if (ret)
		log_error("can't post receives: %s", strerror(-ret));
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
	latency_close(&rdma->own_samples);
	session->own = NULL;
}

/* --- while it runs --- */

/* Both directions: the peer's word that it has sent all, or that its user stopped it, which ends this side, too. */
static int hear_done(struct qperf_session *session, struct rdma *rdma)
{
	uint8_t bytes[FRAME_MAX_PAYLOAD];
	size_t length;
	int ret;

	if (rdma->heard_done)
		return 0;
	ret = control_receive_frame(session->control, FRAME_DONE, bytes, &length, "the end of its messages");
	if (ret)
		return ret;
	rdma->heard_done = true;
	if (length && bytes[0])
		rdma->run.result.stopped = true;
	return 0;
}

static int tell_done(struct qperf_session *session, struct rdma *rdma)
{
	const uint8_t stopped = session->stopped;

	if (rdma->told_done)
		return 0;
	rdma->told_done = true;
	return control_send_frame(session->control, FRAME_DONE, &stopped, sizeof(stopped));
}

/* What completes has come here: the data of READs, the answers to atomics. */
static bool rdma_brings(const struct rdma *rdma)
{
	return rdma->traffic.pulls && rdma->traffic.posts && !rdma->traffic.ping_pong;
}

/* The loops themselves look at the time. */
static uint64_t rdma_tick(struct run *run, uint64_t now)
{
	struct qperf_session *session = run->hooks.owner;
	struct rdma *rdma = session->own;

	const bool brings = rdma_brings(rdma);

	session->account.sent.msgs = rdma->traffic.posts && !brings ? run->result.completed : 0;
	session->account.received.msgs = brings ? run->result.completed : run->result.received;
	session->account.sent.bytes = session->account.sent.msgs * run->plan.size;
	session->account.received.bytes = session->account.received.msgs * run->plan.size;
	if (now < session->end_cycles && qperf_session_tick(session) &&
	    (session->stopped || session->peer_gone || rdma->traffic.ping_pong))
		run->result.stopped = true;
	/* What the peer has to say is read behind the loop. */
	if (control_failure_waits(session->control))
		run->result.stopped = true;
	else if (session->control->native && session->test->kind & RDMA_BOTH && session->peer_done &&
		 hear_done(session, rdma))
		run->result.stopped = rdma->failed = true;
	/* A qperf 0.4.11 does not say that it has sent all. */
	if (!session->control->native && now >= session->end_cycles)
		run->result.stopped = true;
	return now + clock_ns_to_cycles(TICK_NS);
}

/*
 * The peer has said that it has sent all, and that word may come before its last messages do: is it quiet since? A
 * receiver that knows how many are coming does not depend on it.
 */
static bool is_quiet(struct rdma *rdma, const struct run *run, bool peer_done)
{
	const uint64_t now = clock_cycles(), grace = clock_ns_to_cycles(QUIET_NS);

	if (!peer_done)
		return false;
	if (!rdma->done_cycles)
		rdma->done_cycles = now;
	return now > rdma->done_cycles + grace &&
	       (now < run->result.last_cycles || now - run->result.last_cycles > grace);
}

/* In both directions each side says when it has sent all, and goes on to receive. */
static enum idle_answer idle_both(struct qperf_session *session, struct rdma *rdma, const struct run *run,
				  enum control_state state)
{
	if ((run->result.sent_all && tell_done(session, rdma)) ||
	    (state == CONTROL_SPOKE && hear_done(session, rdma))) {
		rdma->failed = true;
		return IDLE_ABORT;
	}
	if (run->result.stopped)
		return IDLE_ABORT;
	return rdma->told_done && is_quiet(rdma, run, rdma->heard_done) ? IDLE_DRAIN : IDLE_WAIT;
}

/* By time a ping-pong ends with it, and so does a side that has no requests under way. */
static bool is_stuck(struct qperf_session *session, const struct rdma *rdma, const struct run *run)
{
	const struct run_result *result = &run->result;

	if (session->end_cycles != UINT64_MAX && (rdma->traffic.ping_pong || result->completed == result->posted)) {
		session->looked_cycles = 0;
		return false;
	}
	return session_stands_still(session, clock_cycles(), result->posted + result->completed + result->received);
}

/* With what may come late. */
static bool rdma_is_over(const struct qperf_session *session)
{
	return session->end_cycles != UINT64_MAX && clock_cycles() > session->end_cycles + clock_ns_to_cycles(LATE_NS);
}

/*
 * Nothing came for so long: this side's last message, or the answer to it, got lost. Where it is but a write of the
 * same bytes to the same place, it does no harm that was not lost.
 */
static void write_again(const struct qperf_session *session, struct rdma *rdma, struct run *run)
{
	const uint64_t now = clock_cycles(), moved = run->result.posted + run->result.received;
	struct ibv_send_wr wr, *bad;

	if (moved != rdma->moved) {
		rdma->moved = moved;
		rdma->moved_cycles = now;
	}
	if (!run->result.posted || now < rdma->moved_cycles + clock_ns_to_cycles(SESSION_LOST_NS))
		return;
	wr = *run->queues.tx[0].wr;
	wr.send_flags &= ~(unsigned)IBV_SEND_SIGNALED;
	if (ibv_post_send(run->queues.tx[0].qp, &wr, &bad))
		return;	       /* the queue is full of such: the end comes with the time */
	if (session->client) { /* both sides write again what one of them lost */
		rdma->losses.messages++;
		rdma->losses.cycles += now - rdma->moved_cycles;
	}
	rdma->moved_cycles = now;
}

/* Each side of a qperf 0.4.11 goes by its own clock, and says nothing before its results. */
static enum idle_answer idle_classic(struct qperf_session *session, enum control_state state)
{
	session->peer_done = state == CONTROL_SPOKE;
	return session->peer_done || rdma_is_over(session) ? IDLE_ABORT : IDLE_WAIT;
}

static enum idle_answer idle(struct run *run)
{
	struct qperf_session *session = run->hooks.owner;
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
	if (control_failure_waits(session->control))
		return IDLE_ABORT;
	if (!session->control->native)
		return idle_classic(session, state);
	if (is_stuck(session, rdma, run)) {
		session->peer_still = true;
		return IDLE_ABORT;
	}
	if (session->test->kind & RDMA_BOTH)
		return idle_both(session, rdma, run, state);
	session->peer_done = state == CONTROL_SPOKE;
	if (writes_again(session->test) && !session->peer_done)
		write_again(session, rdma, run);
	/* A ping-pong by number still has its last answer to come. */
	if (rdma->traffic.ping_pong && !run->plan.iters && session->peer_done)
		return IDLE_DRAIN;
	if (rdma->traffic.ping_pong)
		return is_quiet(rdma, run, session->peer_done) || rdma_is_over(session) ? IDLE_ABORT : IDLE_WAIT;
	return rdma->traffic.receives && is_quiet(rdma, run, session->peer_done) ? IDLE_DRAIN : IDLE_WAIT;
}

/* The side whose memory the other reads: it has nothing to do but to be there. */
static void sit(struct qperf_session *session)
{
	/* A qperf 0.4.11 awaits this side's results before it says anything. */
	const uint64_t end_cycles = session->control->native ? UINT64_MAX : session->end_cycles;

	while (!session->peer_done && !session->peer_gone && !stop_requested() && clock_cycles() < end_cycles) {
		struct pollfd fds = {.fd = session->control->fd, .events = POLLIN};

		if (wait_fds(&fds, 1, deadline_in_ms(LOOK_MS)) != -ETIMEDOUT)
			session->peer_done = !stop_requested();
		if (control_look(session->control) == CONTROL_GONE)
			session->peer_gone = true;
	}
	session->stopped = stop_requested();
}

/*
 * The peer's word, if there is one, or its end tells more than the error that follows from it, and may come a moment
 * later.
 */
static int report_failure(struct qperf_session *session, struct rdma *rdma, int error)
{
	struct wc_failure failure = rdma->run.result.failure;
	struct pollfd fds = {.fd = session->control->fd, .events = POLLIN};
	char text[LOG_TEXT_SIZE];
	int heard;

	if (session->control->native)
		wait_fds_after_stop(&fds, 1, deadline_in_ms(LOOK_MS));
	heard = control_hear_failure(session->control);
	if (heard)
		return heard;
	if (control_look(session->control) == CONTROL_GONE) {
		session->peer_gone = true;
		return 0; /* said by the caller */
	}
	async_event_take(&rdma->events, &rdma->device);
	if (error == -EIO && failure.status != IBV_WC_SUCCESS) {
		wc_status_find_first(&rdma->resources, &failure);
		wc_status_describe(&rdma->resources, &failure, rdma->run.result.completed + rdma->run.result.received,
				   &rdma->events, text, sizeof(text));
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
	 * The queue is filled before this side looks for completions. Where that alone takes the time of the test (64
	 * MiB messages, a slow device), the first ones are seen behind it: then all count, with the time that they
	 * took.
	 */
	const bool overran = !rdma->traffic.ping_pong && !result->sampled && result->completed + result->received;
	const bool windowed = !overran && !rdma->run.plan.iters && rdma->run.plan.end_sample_cycles != UINT64_MAX;
	/* Of one exchange alone (-n 1) there is no sample, and finish_cycles is when the loop began. */
	const bool unsampled = rdma->traffic.metric == METRIC_LAT && !windowed && !result->sampled;
	struct account *account = &session->account;
	/* A sample, too, and nothing came of it. */
	const uint64_t unanswered = result->open_cycles && !result->open_answered;
	uint64_t sent = 0, received = 0;

	session->open_cycles = result->open_cycles;
	session->open_answered = result->open_answered;
	if (rdma->traffic.ping_pong) {
		received = windowed ? result->sampled - unanswered : result->completed;
		/* with those that got lost, and the one that was open at the end */
		sent = has_numbers(session->test) && rdma->traffic.begins ? result->posted : received;
	} else if (rdma_brings(rdma)) {
		received = windowed ? result->sampled - unanswered : result->completed;
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
	account->sent.msgs = sent;
	account->sent.bytes = sent * rdma->run.plan.size;
	account->received.msgs = received;
	account->received.bytes = received * rdma->run.plan.size;
	if (rdma->traffic.pulls)
		account->peer_sent = account->received;
	/* Where one message is in flight a poll finds no more. */
	account->max_cqes = rdma->traffic.metric == METRIC_LAT ? result->completed != 0 : result->most_found;
	account->lost = rdma->losses.messages;
	account->lost_s = clock_cycles_to_seconds((double)rdma->losses.cycles);
	if (overran)
		session->finish_cycles = result->last_cycles;
	else if (result->finish_cycles > session->begin_cycles && !unsampled)
		session->finish_cycles = result->finish_cycles;
}

/* With both directions the word that all is sent comes before what each side counted. */
static int part(struct qperf_session *session, struct rdma *rdma)
{
	int ret;

	if (!(session->test->kind & RDMA_BOTH) || session->peer_gone || session->peer_still ||
	    !session->control->native)
		return 0;
	ret = tell_done(session, rdma);
	return ret ? ret : hear_done(session, rdma);
}

/* As many at once as the messages that -m would hold, but no more than were set up. */
static int run_verify(struct qperf_session *session, struct rdma *rdma)
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

static int run_rdma(struct qperf_session *session)
{
	struct rdma *rdma = session->own;
	struct run *run = &rdma->run;
	loop_fn loop = loop_of(&rdma->traffic);
	int ret, failure;

	if (!loop) {
		session->interval = NULL; /* what it has rows of happens on the other side */
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
	if (session->test->kind & RDMA_VERIFY)
		ret = run_verify(session, rdma);
	else if (session->test->kind & RDMA_MEMORY && !session->control->native)
		ret = classic_poll_ping(run, session->client, run->queues.tx[0].poll_byte + 1 - run->plan.size);
	else if (has_numbers(session->test))
		ret = unreliable_ping(run, clock_ns_to_cycles(SESSION_LOST_NS), &rdma->losses);
	else
		ret = loop(run);
	if (ret == -EBADMSG)
		return ret;
	/* The loops look at the user's request themselves. */
	session->stopped |= run_was_interrupted(run);
	session->control->ignores_stop = session->stopped;
	take_counts(session, rdma);
	if (rdma->failed)
		return -EREMOTEIO;
	failure = control_hear_failure(session->control);
	if (failure)
		return failure;
	return ret ? report_failure(session, rdma, ret) : part(session, rdma);
}

static const char *check_rdma(const struct test_row *test, const struct qperf_side *side)
{
	if (side->number[PARAM_USE_CM] && !transport_traits(RDMA_TRANSPORT(test->kind))->rdma_cm)
		return "-cm: rdma_cm connects RC and UD";
	if (test->kind & RDMA_VERIFY && side->number[PARAM_MSG_SIZE] < RDMA_ATOMIC_BYTES)
		return "a message size below 8";
	if (side->number[PARAM_USE_CM] && (side->number[PARAM_ALT_PORT] || side->number[PARAM_SRC_PATH_BITS]))
		return "-ap or -sp with -cm: rdma_cm chooses the path";
	if (side->number[PARAM_ALT_PORT] && transport_traits(RDMA_TRANSPORT(test->kind))->datagram)
		return "-ap: a datagram has no connection that could move";
	if (side->number[PARAM_ALT_PORT] > 255 || side->number[PARAM_SRC_PATH_BITS] > 127)
		return "an alternate port above 255, or source path bits above 127";
	if (side->number[PARAM_SERVICE_LEVEL] > 15)
		return "a service level above 15";
	if (side->number[PARAM_RD_ATOMIC] > 255)
		return "more than 255 READ or atomic requests in flight";
	return NULL;
}

const struct test_ops rdma_ops = {check_rdma, open_rdma, run_rdma, close_rdma};
