// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How two ends agree to run the same test. The client sends its options; a server started without options takes them
 * over, and a server with contradicting ones reports that to both users. Called by session.c once there is a
 * connection.
 */
#include "session/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "session/group/member.h"
#include "session/print/print.h"
#include "util/allowance.h"
#include "util/log.h"
#include "verbs/ability.h"
#include "verbs/device/adapter.h"
#include "verbs/device/host_page.h"
#include "verbs/device/site.h"
#include "verbs/memory/demand.h"

#define FIRST_TO_REORDER 6.28 /* linux-rdma perftest; whether a build of it does depends on its rdma-core */

static uint32_t allowed_s(const struct params *params)
{
	return allowance_s(params->channel.max_duration_s, params_given(params, "max_duration"),
			   params->channel.keep_serving);
}

/* The longest that a message size takes by time, over all its measurements; 0: unknown. */
static uint64_t lasts_s(const struct params *params)
{
	struct load load;

	if (params->test.run_infinitely)
		return ALLOWANCE_ENDLESS;
	if (params->repeat.until_percent > 0)
		return (uint64_t)params->repeat.most_s + params->test.duration_s;
	if (params_is_open_loop(params) && !load_parse(params->rate.open_rate, &load))
		return (uint64_t)params->test.duration_s * load_steps(&load);
	return (uint64_t)params->test.duration_s * params->repeat.count;
}

static void describe_self(const struct session *session, struct comm_hello *hello)
{
	snprintf(hello->program, sizeof(hello->program), "%s", session->params.program->name);
	snprintf(hello->version, sizeof(hello->version), "%s", PACKAGE_VERSION);
	if (gethostname(hello->host, sizeof(hello->host)))
		hello->host[0] = '\0';
	hello->host[sizeof(hello->host) - 1] = '\0';
	hello->process = (uint64_t)getpid();
	site_describe(&session->device, &hello->site);
	session_write_provenance(session, hello->provenance, sizeof(hello->provenance));
}

/* In the server's answer, if it measures with several clients at once. */
#define ANSWER_CLIENTS "clients="

/* Detects two groups, each of which would wait until the other says that it is ready. 0, or -errno, reported. */
static int check_gathering(const struct session *session)
{
	if (!session->member || !session->peer.params || !strstr(session->peer.params, ANSWER_CLIENTS))
		return 0;
	return log_fail(-EPROTONOSUPPORT,
			"this client names several servers, and the server %s waits for several clients (--clients): "
			"use only one of the two",
			comm_peer(&session->comm));
}

static int client_agree(struct session *session)
{
	struct comm_hello hello = {0};
	char reason[256];
	int ret;

	ret = params_export(&session->params, &hello.params);
	if (ret)
		return log_fail(ret, "out of memory");
	describe_self(session, &hello);
	hello.run_id = session->member ? *session->member->run_id : run_id_draw();
	ret = comm_swap(&session->comm, MESSAGE_HELLO, &hello, &session->peer);
	comm_hello_clear(&hello);
	if (ret)
		return ret;
	session->peer_page_bytes = session->peer.site.page_bytes;
	ret = check_gathering(session);
	if (ret)
		return ret;
	ret = params_resolve(&session->params, reason, sizeof(reason));
	if (!ret && session->member)
		ret = member_join(session, reason, sizeof(reason));
	if (ret && ret != -EINTR)
		log_error("%s", reason);
	return ret;
}

/* Refuses the client's test, and tells this side's user why. */
static int session_refuse(struct session *session, int error, const char *reason)
{
	if (session->member) /* of many clients: each line of its process names it */
		log_error("%s", reason);
	else
		log_error("client %s: %s", comm_peer(&session->comm), reason);
	comm_transmit(&session->comm, MESSAGE_REFUSE, reason);
	return error;
}

/* A second device that nothing uses is an error of the user. 0, or -errno and the reason. */
static int check_devices(const struct params *params, char *reason, size_t size)
{
	if (params->verbs.dual_port || !strchr(params->verbs.device_name, ','))
		return 0;
	snprintf(reason, size, "this side was given two devices (-d %s), but the test uses one port: -O is missing",
		 params->verbs.device_name);
	return -EINVAL;
}

/* Limits what an unknown peer may use of this host. 0, or -errno and the reason. */
static int check_demands(struct session *session, char *reason, size_t size)
{
	const struct params *params = &session->params;
	uint64_t largest = params->verbs.all_sizes ? params->verbs.sweep.last : params->verbs.size;
	struct demand demand;
	int ret;

	ret = allowance_check(allowed_s(params), lasts_s(params), reason, size);
	if (ret)
		return ret;
	session_assign(session);
	if (session->traffic.transport->one_packet && largest > device_mtu(&session->device, &session->params.verbs))
		largest = device_mtu(&session->device, &session->params.verbs);
	ret = demand_of(&session->params.verbs, largest, &demand);
	if (ret) {
		snprintf(reason, size, "%s", log_last_error());
		return ret;
	}
	return demand_check(&demand, &session->params.verbs, &session->device, reason, size);
}

static int server_agree(struct session *session)
{
	const bool frames = session->params.verbs.traffic.transport->frames;
	struct comm_hello answer = {0};
	char reason[512], clients[32];
	int ret;

	ret = comm_receive(&session->comm, MESSAGE_HELLO, &session->peer);
	if (ret)
		return ret;
	log_human("client %s%s%s%s, perftest %s", session->peer.host, session->peer.host[0] ? " (" : "",
		  comm_peer(&session->comm), session->peer.host[0] ? ")" : "", session->peer.version);
	if (strcmp(session->peer.program, session->params.program->name) != 0) {
		snprintf(reason, sizeof(reason), "the server runs %s and the client %s; both must run the same program",
			 session->params.program->name, session->peer.program);
		return session_refuse(session, -EPROTO, reason);
	}
	session->peer_page_bytes = session->peer.site.page_bytes;
	describe_self(session, &answer);
	snprintf(clients, sizeof(clients), ANSWER_CLIENTS "%u\n", params_num_peers(&session->params));
	if (session->member)
		answer.params = clients;
	/* Of several clients, all take that of their group. */
	answer.run_id = session->member ? *session->member->run_id : session->peer.run_id;
	session->peer.run_id = answer.run_id;
	/* Frames of a software device go wherever its interface leads. */
	ret = frames ? 0
		     : site_check((struct site_side){&answer.site, answer.host},
				  (struct site_side){&session->peer.site, session->peer.host}, "-d", reason,
				  sizeof(reason));
	if (ret)
		return session_refuse(session, ret, reason);
	ret = params_adopt(&session->params, session->peer.params, reason, sizeof(reason));
	if (!ret)
		ret = params_resolve(&session->params, reason, sizeof(reason));
	if (!ret && frames)
		session_complete_frames(&session->params);
	if (!ret)
		ret = check_devices(&session->params, reason, sizeof(reason));
	if (!ret)
		ret = check_demands(session, reason, sizeof(reason));
	if (!ret && session->member)
		ret = member_join(session, reason, sizeof(reason));
	if (ret)
		return session_refuse(session, ret, reason);
	return comm_transmit(&session->comm, MESSAGE_AGREE, &answer);
}

/*
 * How much longer than --timeout a classic peer may be silent while it measures. Its speed is unknown; a run that takes
 * longer than this needs a --timeout, which is then used as it is.
 */
static int64_t measuring_ms(const struct params *params)
{
	const double slowest_bytes = 1e4;    /* per millisecond */
	const double slowest_messages = 0.1; /* per millisecond */
	const struct sweep sweep = params->verbs.sweep;
	double sizes = 1, bytes = (double)params->verbs.size, messages, limit;

	if (params->test.run_infinitely)
		return -1;
	if (params_by_time(params))
		return (int64_t)params->test.duration_s * 1000;
	if (params_given(params, "timeout"))
		return 0;
	if (params->verbs.all_sizes) {
		sizes = sweep_count(&sweep, sweep.last);
		bytes = 2.0 * (double)sweep.last / sizes;
	}
	messages = sizes * (double)params->test.iters * params->queues.num_qps;
	limit = messages * bytes / slowest_bytes + messages / slowest_messages;
	return limit < 1e15 ? (int64_t)limit : -1; /* thousands of years */
}

/* With --dont_xchg_versions, a peer of this suite does not say so either. */
static void note_own_options(struct session *session)
{
	const struct comm *comm = &session->comm;
	const char *role = comm->client ? "server" : "client";

	if (session->params.channel.dont_xchg_versions) {
		log_info("with --dont_xchg_versions no options are exchanged: this side and the %s %s use their own",
			 role, comm_peer(comm));
		return;
	}
	snprintf(session->peer.version, sizeof(session->peer.version), "%s %.8s", comm->traits->name,
		 comm->peer_version);
	log_info("the %s %s is %s: options are not exchanged, so each side uses its own", role, comm_peer(comm),
		 session->peer.version);
	if (strtod(comm->peer_version, NULL) >= FIRST_TO_REORDER && !session->params.verbs.out_of_order &&
	    ability_is_reordered(&session->device, &session->params.verbs))
		log_warning("on %s it may have receives consumed out of order, which both sides must do, or neither: "
			    "give it --no_enhanced_reorder, or this side --use_ooo",
			    session->device.name);
}

/* With a peer that does not send its options. */
static int agree_by_own_options(struct session *session)
{
	const struct params *params = &session->params;
	struct comm *comm = &session->comm;
	struct comm_plan plan;
	char reason[512];
	int ret;

	ret = params_resolve(&session->params, reason, sizeof(reason));
	if (!ret)
		ret = check_devices(params, reason, sizeof(reason));
	if (ret)
		return log_fail(ret, "%s", reason);
	/* Without a side channel. */
	if (params_is_silent(params))
		return 0;
	if (params->verbs.rdma_cm && !comm_is_by_rdma_cm(comm))
		return log_fail(-EPROTO,
				"the client %s is %s and connected over TCP, so it was not given -R, but this side "
				"was: give -R to both or to neither",
				comm_peer(comm), comm->traits->name);
	session_assign(session);
	plan = (struct comm_plan){
		.traffic = session->traffic,
		.bidirectional = params->spec.bidirectional,
		.all_sizes = params->verbs.all_sizes,
		.by_time = params_by_time(params),
		.endless = params->test.run_infinitely,
		.rdma_cm = params->verbs.rdma_cm,
		.mtu = device_mtu(&session->device, &session->params.verbs),
		.page_bytes = (uint32_t)host_page(),
		.cache_line = (uint32_t)host_cache_line(),
		.bw_unit = params->report.gbits ? 125e6 : 1048576,
		.measuring_ms = measuring_ms(params),
	};
	ret = comm_exchange_sizes(comm, &plan, &session->peer_page_bytes);
	if (ret)
		return ret;
	note_own_options(session);
	return 0;
}

/* 0, or -EPROTONOSUPPORT, reported, for a test that not every peer can take part in. */
static int judge_peer(const struct session *session)
{
	const struct params *params = &session->params;
	const struct comm_traits *traits = session->comm.traits;
	const struct {
		enum comm_ability ability;
		bool is_asked;
		const char *remedy;
	} requests[] = {
		{COMM_VALIDATES, params->verbs.data_validation, "run without it, or run this suite on both sides"},
		{COMM_REPEATS, params_repeats(params),
		 "run without --repeat and --until, or run this suite on both sides"},
		{COMM_FRAMES, params->channel.of_frames, "omit --side_channel, or run this suite on both sides"},
		{COMM_JOINS, session->member, "run this suite there, or name one HOST"},
		{COMM_OPEN_LOOP, params_is_open_loop(params), "run without --rate, or run this suite on both sides"},
		{COMM_SIZES, strcmp(params->test.sizes, "off") != 0, "run with -a, or run this suite on both sides"},
		{COMM_LATENCY_QUEUES, params->program->metric == METRIC_LAT && params->verbs.num_threads > 1,
		 "run without --threads, or run this suite on both sides"},
	};

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		const char *lacks = traits->lacks[requests[i].ability];

		if (lacks && requests[i].is_asked)
			return log_fail(-EPROTONOSUPPORT, "the peer %s is %s%s, %s: %s", comm_peer(&session->comm),
					params->channel.dont_xchg_versions ? "taken for " : "", traits->name, lacks,
					requests[i].remedy);
	}
	return 0;
}

int session_agree(struct session *session)
{
	const struct params *params = &session->params;
	int ret = 0;

	if (params_is_silent(params))
		return agree_by_own_options(session);
	if (params->channel.dont_xchg_versions)
		comm_assume_classic(&session->comm);
	else
		ret = comm_greet(&session->comm);
	if (ret)
		return ret;
	if (session->comm.traits->negotiates)
		ret = session->comm.client ? client_agree(session) : server_agree(session);
	else
		ret = agree_by_own_options(session);
	if (!ret)
		ret = judge_peer(session);
	comm_bound(&session->comm, params->test.run_infinitely ? 0 : (int64_t)params->test.duration_s * 1000,
		   allowance_end(allowed_s(params)), params->verbs.per_port);
	return ret;
}

void session_assign(struct session *session)
{
	struct verbs_config *verbs = &session->params.verbs;

	/* linux-rdma perftest has it for SENDs only. */
	verbs->flow_control &= session->comm.traits->negotiates || verbs->traffic.verb == VERB_SEND;
	verbs->peer_page_bytes = session->peer_page_bytes;
	memory_kind_measure(verbs, &session->device);
	session->traffic = verbs->traffic;
	session->loop = loop_of(&session->traffic);
}

/* --- what the device allows of it --- */

/*
 * Must every message be signalled, because on iWARP the peer's credits may run out within a stride? With a rate limit,
 * messages that are not signalled would then only complete with a later burst, and be missing in the sample window. A
 * classic peer grants none after the end of a run by time, not even for a message that would complete those before it.
 */
static bool credits_end_strides(const struct session *session)
{
	const struct params *params = &session->params;

	return params->verbs.flow_control && device_is_iwarp(&session->device) &&
	       (params->rate.limit > 0 || (!session->comm.traits->credits_last && params_by_time(params)));
}

static void settle_completions(struct session *session)
{
	struct params *params = &session->params;
	const struct transport_traits *transport = session->traffic.transport;
	const bool by_credits = credits_end_strides(session);

	session->signals_all = adapter_signals_all(&session->device.attr, transport);
	if (!session->signals_all && !by_credits)
		return;
	if (params_given(params, "cq-mod") && params->verbs.cq_mod > 1)
		log_warning("%s signals a completion for every message%s, not for every %uth as --cq-mod asks",
			    adapter_of(&session->device.attr)->signals_all || by_credits ? session->device.name
											 : transport->name,
			    !by_credits		     ? ""
			    : params->rate.limit > 0 ? " of a test with a rate limit"
						     : " of a test by time",
			    (unsigned)params->asked.cq_mod);
	params->asked.cq_mod = 1;
	params->verbs.cq_mod = 1;
}

int session_settle(struct session *session)
{
	const struct verbs_config *verbs = &session->params.verbs;

	session->largest = verbs->all_sizes ? verbs->sweep.last : verbs->size;
	settle_completions(session);
	return session->traffic.transport->frames ? session_fit_frames(session) : 0;
}

void session_settle_limits(struct session *session)
{
	if (session->largest > session->resources.max_message)
		session->largest = session->resources.max_message;
	session->params.verbs.rx_depth = session->resources.rx_depth;
}
