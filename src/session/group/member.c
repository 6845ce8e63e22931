// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One pair of several at once, and its group. See member.h. */
#include "session/group/member.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/measure/measurement.h"
#include "session/print/print.h"
#include "session/state.h"
#include "stats/clock.h"
#include "util/deadline.h"
#include "util/stop.h"
#include "util/wait.h"

#define WAIT_MS	     400 /* the shortest --timeout is a second */
#define SENT_LOOK_MS 20	 /* as a sender of datagrams looks for its peer's messages */

void member_keep_warnings(struct member_slot *slot)
{
	for (size_t i = 0; i < MEMBER_WARNINGS && i < log_warning_count(); i++)
		snprintf(slot->warnings[i], sizeof(slot->warnings[i]), "%s", log_warning_at(i));
}

static int member_send(const struct group_member *member, enum member_message_type type)
{
	member_keep_warnings(member->slot);
	return pair_send(member->fd, type, "", true /* waits */);
}

int member_join(struct session *session, char *reason, size_t size)
{
	struct group_member *member = session->member;
	struct member_slot *slot = member->slot;
	struct member_message answer;
	int ret;

	_Static_assert(sizeof(slot->host) == sizeof(session->peer.host), "texts are copied whole");
	memcpy(slot->host, session->peer.host, sizeof(slot->host));
	slot->process = session->peer.process;
	slot->params = session->params;
	ret = member_send(member, MEMBER_AGREED);
	while (!ret) {
		struct pollfd fd = {.fd = member->fd, .events = POLLIN};

		ret = wait_fds(&fd, 1, deadline_in_ms(-1));
		if (!ret)
			ret = pair_receive(member->fd, &answer);
		if (!ret)
			break;
		ret = ret == -EAGAIN ? 0 : ret;
	}
	if (ret) {
		pair_end_reason(member->fd, reason, size);
		return ret;
	}
	if (answer.type == GROUP_TAKES)
		return 0;
	snprintf(reason, size, "%s", answer.reason);
	return -EPERM;
}

void member_keep_info(struct session *session, const struct report_info *info)
{
	struct member_slot *slot = session->member->slot;
	const char **texts[] = {
		&slot->info.transport_type,
		&slot->info.link_type,
		&slot->info.gid,
		&slot->info.gid_type,
		&slot->info.pcie_relaxed,
		&slot->info.data_exchange,
		&slot->info.peer,
		&slot->info.peer_host,
		&slot->info.peer_version,
		&slot->info.second,
		&slot->info.device.memory,
		&slot->info.memory_way,
		&slot->info.gpu,
		&slot->info.software_measures,
	};

	_Static_assert(sizeof(texts) / sizeof(texts[0]) <= MEMBER_TEXTS, "each text has room");
	slot->params.verbs = session->params.verbs; /* as settled */
	slot->info = *info;
	if (info->peer_provenance)
		snprintf(slot->provenance, sizeof(slot->provenance), "%s", info->peer_provenance);
	slot->info.peer_provenance = slot->provenance;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!*texts[i])
			continue;
		snprintf(slot->texts[i], sizeof(slot->texts[i]), "%s", *texts[i]);
		*texts[i] = slot->texts[i];
	}
}

/* 0: it starts; -EAGAIN: not yet. */
static int follow_group(struct session *session)
{
	struct member_message message;
	int ret = pair_receive(session->member->fd, &message);

	if (ret == -EAGAIN)
		return ret;
	if (ret)
		return pair_report_gone(ret);
	if (message.type == GROUP_STARTS)
		return 0;
	/* The group's process has told this side's user. */
	comm_abort(&session->comm, message.reason);
	return -ECANCELED;
}

/* Waits for messages of the peer or the group. -errno is reported. */
static int member_wait_for_message(struct session *session)
{
	const int ret = comm_wait_beside(&session->comm, session->member->fd, WAIT_MS);

	return ret == -ETIMEDOUT ? 0 : ret;
}

/* The peer waits at its barrier, and is told how many others it waits for. 0 or -errno, reported. */
static int report_missing(struct session *session, uint32_t *reported, struct deadline *next_report)
{
	const uint32_t missing = *session->member->missing;

	if (!deadline_passed(*next_report) && missing == *reported)
		return 0;
	*reported = missing;
	*next_report = deadline_in_ms(WAIT_MS);
	return comm_transmit(&session->comm, WIRE_WAIT, &missing);
}

int member_start(struct session *session)
{
	struct group_member *member = session->member;
	struct comm *comm = &session->comm;
	const struct deadline limit = deadline_in_ms(params_timeout_ms(&session->params));
	struct deadline next_report = deadline_in_ms(0);
	uint32_t reported = UINT32_MAX;
	bool ready = false;
	int ret = 0;

	for (;;) {
		if (ready)
			ret = report_missing(session, &reported, &next_report);
		if (!ret)
			ret = comm_look(comm);
		if (ret < 0)
			return ret;
		/* A common start must be simultaneous: the peer has to be ready, too. */
		if (!ready && comm_at_barrier(comm)) {
			if (session->params.verbs.group.is_used)
				memcpy(member->slot->multicast.raw, session->resources.remote[0].gid,
				       sizeof(member->slot->multicast.raw));
			if (member_send(member, MEMBER_READY))
				return pair_report_gone(-ECONNRESET);
			ready = true;
			continue;
		}
		if (!ready && deadline_passed(limit))
			return channel_report(&comm->channel, -ETIMEDOUT, "readiness");
		ret = follow_group(session);
		if (ret != -EAGAIN)
			return ret || ready ? ret : -EPROTO;
		ret = member_wait_for_message(session);
		if (ret)
			return ret;
	}
}

/* --- one sender for all receivers --- */

/* 0: this member sends; -EAGAIN: run has the result, or was stopped; another -errno is reported. */
static int await_sender(struct session *session, struct run *run)
{
	struct group_member *member = session->member;
	struct member_message message;
	int ret;

	for (;;) {
		const uint64_t now = clock_cycles();

		if (now >= run->hooks.next_tick_cycles)
			run->hooks.next_tick_cycles = run->hooks.tick(run, now);
		if (run->result.stopped)
			return -EAGAIN;
		ret = pair_receive(member->fd, &message);
		if (!ret && message.type == GROUP_SENDS)
			return 0;
		if (!ret && message.type == GROUP_SENT) {
			run->result = member->sent->result;
			return -EAGAIN;
		}
		if (!ret) {
			comm_abort(&session->comm, message.reason);
			return -ECANCELED;
		}
		if (ret != -EAGAIN)
			return pair_report_gone(ret);
		ret = comm_wait_beside(&session->comm, member->fd, SENT_LOOK_MS);
		/* The sender was stopped as well, and says what it has sent; a second signal cuts that short. */
		if (ret == -EINTR && !session->ending.interrupted) {
			stop_flag = 0;
			session->ending.interrupted = true;
		} else if (ret && ret != -ETIMEDOUT) {
			return ret;
		}
	}
}

int member_run_loop(struct session *session, struct run *run, struct run_progress *progress)
{
	struct group_member *member = session->member;
	struct member_sent *sent = member->sent;
	int ret = member_send(member, MEMBER_RUNS) ? pair_report_gone(-ECONNRESET) : await_sender(session, run);

	if (ret) {
		progress->error = ret == -EAGAIN ? progress->error : ret;
		return 0;
	}
	member->sends = true;
	session_start_clock(progress, run, clock_cycles());
	run->result.stopped = session->ending.interrupted; /* before it began */
	ret = run->result.stopped ? 0 : session->loop(run);
	member->sends = false;
	if (ret)
		return ret;
	sent->result = run->result;
	sent->row = (struct report_row){0};
	session_row(session, run, &sent->row);
	if (member_send(member, MEMBER_SENT))
		progress->error = pair_report_gone(-ECONNRESET);
	return 0;
}

/* --- samples --- */

/* Seconds: a counter of 10 THz, and one of 100 kHz. */
#define SHORTEST_TICK 1e-13
#define LONGEST_TICK  1e-5

/*
 * NULL, or what is wrong with them. By number: can the test have made so many, with those that have no time? It runs
 * once, as --repeat is for one pair.
 */
static const char *judge_samples(const struct params *params, const struct comm_samples *samples)
{
	const struct latency *latency = samples->latency;
	const uint64_t count = latency->histogram.count;
	const uint64_t most = (uint64_t)params->test.iters * params->queues.num_qps;

	if (!(samples->tick_seconds >= SHORTEST_TICK && samples->tick_seconds <= LONGEST_TICK))
		return "their unit is not a unit of time";
	if (latency_fault(latency))
		return latency_fault(latency);
	if (params_by_time(params) || params->test.run_infinitely ||
	    (count <= most && latency->backward <= most - count))
		return NULL;
	return "there are more than the test has messages";
}

static int receive_samples(struct session *session)
{
	struct member_slot *slot = session->member->slot;
	struct comm_samples samples = {.latency = &slot->samples};
	const char *fault;
	int ret;

	latency_reset(&slot->samples);
	ret = comm_receive(&session->comm, WIRE_SAMPLES, &samples);
	if (ret)
		return ret;
	fault = judge_samples(&session->params, &samples);
	if (fault)
		return log_fail(-EBADMSG, "the %s (%s) sent invalid samples: %s", comm_peer_role(&session->comm),
				comm_peer(&session->comm), fault);
	slot->samples.tick_seconds = samples.tick_seconds;
	return 0;
}

int member_exchange_samples(struct session *session, const struct report_row *local)
{
	if (session->traffic.metric != METRIC_LAT)
		return 0;
	if (session->comm.client && session->comm.gathers && local->latency) {
		const struct comm_samples own = {local->latency->tick_seconds,
						 (struct latency *)(uintptr_t)local->latency /* only read */};

		return comm_transmit(&session->comm, WIRE_SAMPLES, &own);
	}
	return !session->comm.client && session->member ? receive_samples(session) : 0;
}

/* --- the row --- */

/* Neither ends in the future: comm has judged the peer's. */
static void take_span(const struct comm *comm, struct member_slot *slot, const struct comm_result *of)
{
	int64_t begin, end;

	if (!comm->epoch_ns || of->begin_ns == COMM_UNKNOWN || of->elapsed_ns == COMM_UNKNOWN)
		return;
	begin = comm->epoch_ns + (int64_t)of->begin_ns;
	end = begin + (int64_t)of->elapsed_ns;
	if (!slot->end_ns || begin < slot->begin_ns)
		slot->begin_ns = begin;
	if (end > slot->end_ns)
		slot->end_ns = end;
}

int member_measured(struct session *session, const struct report_row *row, const struct comm_result *const spans[],
		    unsigned num_spans)
{
	struct group_member *member = session->member;
	struct member_slot *slot = member->slot;

	slot->row = *row;
	slot->row.since_post = NULL;
	slot->row.repeats = series_of_one();
	if (session->traffic.metric == METRIC_LAT) {
		if (session->comm.client)
			slot->samples = *row->latency;
		slot->samples.samples = NULL;
		slot->row.latency = &slot->samples;
		slot->row.iterations = slot->samples.histogram.count;
	}
	slot->begin_ns = slot->end_ns = 0;
	for (unsigned i = 0; i < num_spans; i++)
		take_span(&session->comm, slot, spans[i]);
	slot->error_ns = session->comm.epoch_error_ns;
	if (slot->end_ns)
		slot->row.seconds = (double)(slot->end_ns - slot->begin_ns) / 1e9;
	return member_send(member, MEMBER_MEASURED) ? pair_report_gone(-ECONNRESET) : 0;
}
