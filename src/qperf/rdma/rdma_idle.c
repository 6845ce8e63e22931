// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hooks of the loops: they handle the time, the user, the peer's message that it has sent everything, the end of its
 * connection, and lost messages.
 */
#include <string.h>

#include "qperf/options/options.h"
#include "qperf/rdma/rdma_test.h"
#include "stats/clock.h"
#include "util/stop.h"
#include "util/wait.h"

#define LATE_NS 1e8 /* after the duration, before a ping-pong whose answer does not arrive is ended */
/* After the peer's message that it has sent everything, for what is still in flight: */
#define QUIET_NS     5e7
#define CERTAIN_NS   1e9 /* if the number of messages is known, and the transport loses none */
#define LOOK_MS	     100
#define SLOW_BYTES_S 1e6 /* no device is slower */

int rdma_receive_done(struct qperf_session *session, struct rdma *rdma)
{
	uint8_t stopped;
	int ret;

	if (rdma->received_done)
		return 0;
	ret = control_receive_frame(session->control, MESSAGE_DONE, &stopped);
	if (ret)
		return ret;
	rdma->received_done = true;
	if (stopped)
		rdma->run.result.stopped = true;
	return 0;
}

int rdma_send_done(struct qperf_session *session, struct rdma *rdma)
{
	const uint8_t stopped = session->stopped;

	if (rdma->sent_done)
		return 0;
	rdma->sent_done = true;
	return control_send_frame(session->control, MESSAGE_DONE, &stopped);
}

bool rdma_brings(const struct rdma *rdma)
{
	return rdma->traffic.verb == VERB_READ && rdma->traffic.posts && !rdma->traffic.ping_pong;
}

/* With an exchange that moves, the waits of those before it are complete. */
static void note_progress(struct qperf_session *session, struct rdma *rdma, uint64_t now)
{
	const uint64_t moved = rdma->run.result.posted + rdma->run.result.received;

	if (moved == rdma->moved)
		return;
	rdma->moved = moved;
	rdma->moved_cycles = now;
	session->account.lost_s = clock_cycles_to_seconds((double)rdma->losses.cycles);
}

/* By time, the passive side sends its results first only if its user has stopped it. */
static bool ends_with_peer(const struct qperf_session *session, const struct rdma *rdma)
{
	return session->peer_done && rdma->traffic.initiator && !(session->test->kind & RDMA_BOTH);
}

/* The loops check the time themselves. */
uint64_t rdma_tick(struct run *run, uint64_t now)
{
	struct qperf_session *session = run->hooks.owner;
	struct rdma *rdma = session->own;

	const bool brings = rdma_brings(rdma);

	note_progress(session, rdma, now);
	session->account.sent.msgs = rdma->traffic.posts && !brings ? run->result.completed : 0;
	session->account.received.msgs = brings ? run->result.completed : run->result.received;
	session->account.sent.bytes = session->account.sent.msgs * run->plan.size;
	session->account.received.bytes = session->account.received.msgs * run->plan.size;
	/* With a number of messages a ping-pong looks once more for the last answer: rdma_idle(). */
	if (now < session->end_cycles && qperf_session_tick(session) &&
	    (session->stopped || session->peer_gone || session->interval_err || session->peer_still ||
	     (!run->plan.iters && (rdma->traffic.ping_pong || ends_with_peer(session, rdma)))))
		run->result.stopped = true;
	/* The peer's message is read after the loop. */
	if (control_failure_waits(session->control))
		run->result.stopped = true;
	else if (session->control->dialect->announces_done && session->test->kind & RDMA_BOTH && session->peer_done &&
		 rdma_receive_done(session, rdma))
		run->result.stopped = rdma->failed = true;
	/* A qperf 0.4.11 does not report that it has sent everything. */
	if (!session->control->dialect->announces_done && now >= session->end_cycles)
		run->result.stopped = true;
	return now + clock_ns_to_cycles(RDMA_TICK_NS);
}

/*
 * The peer has reported that it has sent everything, possibly before its last messages arrive: has nothing arrived
 * since? A receiver that knows the number of messages does not need this.
 */
static bool is_quiet(struct rdma *rdma, const struct run *run, bool peer_done)
{
	const bool is_certain = run->plan.iters && rdma->traffic.transport->reliable;
	const uint64_t now = clock_cycles(), grace = clock_ns_to_cycles(is_certain ? CERTAIN_NS : QUIET_NS);

	if (!peer_done)
		return false;
	if (!rdma->done_cycles)
		rdma->done_cycles = now;
	return now > rdma->done_cycles + grace &&
	       (now < run->result.last_cycles || now - run->result.last_cycles > grace);
}

/* In both directions, each side reports when it has sent everything, and continues to receive. */
static enum idle_answer idle_both(struct qperf_session *session, struct rdma *rdma, const struct run *run,
				  enum control_state state)
{
	if ((run->result.sent_all && rdma_send_done(session, rdma)) ||
	    (state == CONTROL_SPOKE && rdma_receive_done(session, rdma))) {
		rdma->failed = true;
		return IDLE_ABORT;
	}
	if (run->result.stopped)
		return IDLE_ABORT;
	return rdma->sent_done && is_quiet(rdma, run, rdma->received_done) ? IDLE_DRAIN : IDLE_WAIT;
}

/*
 * With a duration the peer may stand still until that is over; afterwards this side waits for what is in flight, and
 * for the peer's message. A ping-pong ends with it.
 */
static bool is_stuck(struct qperf_session *session, const struct rdma *rdma, const struct run *run)
{
	const struct run_result *result = &run->result;
	const uint64_t now = clock_cycles();

	if (session->end_cycles != UINT64_MAX && (rdma->traffic.ping_pong || now < session->end_cycles)) {
		session->looked_cycles = 0;
		return false;
	}
	return session_stands_still(session, now, result->posted + result->completed + result->received);
}

/* Including the time for late messages. */
static bool rdma_is_over(const struct qperf_session *session)
{
	return session->end_cycles != UINT64_MAX && clock_cycles() > session->end_cycles + clock_ns_to_cycles(LATE_NS);
}

/*
 * Nothing arrived for this long: this side's last message, or the answer, is lost. If the message only writes the same
 * bytes to the same place, repeating it is harmless even if it was not lost.
 */
static void write_again(struct qperf_session *session, struct rdma *rdma, struct run *run)
{
	const uint64_t now = clock_cycles();
	struct ibv_send_wr wr, *bad;

	note_progress(session, rdma, now);
	if (!run->result.posted || now < rdma->moved_cycles + clock_ns_to_cycles((double)session->answer_timeout_ns))
		return;
	wr = *run->queues.tx[0].wr;
	wr.send_flags &= ~(unsigned)IBV_SEND_SIGNALED;
	if (ibv_post_send(run->queues.tx[0].qp, &wr, &bad))
		return;	       /* the queue is full of repetitions: the test ends with its duration */
	if (session->client) { /* both sides repeat the write, whichever of them lost one */
		rdma->losses.messages++;
		rdma->losses.cycles += now - rdma->moved_cycles;
	}
	rdma->moved_cycles = now;
}

/* Each side of a qperf 0.4.11 uses its own clock, and sends nothing before its results. */
static enum idle_answer idle_classic(struct qperf_session *session, enum control_state state)
{
	session->peer_done = state == CONTROL_SPOKE;
	return session->peer_done || rdma_is_over(session) ? IDLE_ABORT : IDLE_WAIT;
}

enum idle_answer rdma_idle(struct run *run)
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
	if (!session->control->dialect->announces_done)
		return idle_classic(session, state);
	if (is_stuck(session, rdma, run) || channel_is_silent(&session->control->channel)) {
		session->peer_still = true;
		return IDLE_ABORT;
	}
	if (session->test->kind & RDMA_BOTH)
		return idle_both(session, rdma, run, state);
	session->peer_done = state == CONTROL_SPOKE;
	if (rdma_writes_again(session->test) && !session->peer_done)
		write_again(session, rdma, run);
	/* With a number of messages, the last answer is still to come. */
	if (rdma->traffic.ping_pong && !run->plan.iters && session->peer_done)
		return IDLE_DRAIN;
	if (rdma->traffic.ping_pong)
		return is_quiet(rdma, run, session->peer_done) || rdma_is_over(session) ? IDLE_ABORT : IDLE_WAIT;
	return rdma->traffic.receives && is_quiet(rdma, run, session->peer_done) ? IDLE_DRAIN : IDLE_WAIT;
}

/*
 * Until when to wait for the other, active side? A qperf 0.4.11 waits for this side's results first. Ours sends its
 * results when the requests in flight at the end have completed.
 */
static uint64_t sit_until(const struct qperf_session *session)
{
	const struct rdma *rdma = session->own;
	const double last_s = (double)rdma->run.plan.size * rdma->run.plan.tx_depth / SLOW_BYTES_S;

	if (session->end_cycles == UINT64_MAX || !session->control->dialect->announces_done)
		return session->end_cycles;
	return session->end_cycles +
	       clock_ns_to_cycles((double)session->control->channel.timeout_ms * 1e6 + last_s * (double)NS_PER_S);
}

void rdma_sit(struct qperf_session *session)
{
	const uint64_t end_cycles = sit_until(session);

	while (!session->peer_done && !session->peer_gone && !stop_requested() && clock_cycles() < end_cycles &&
	       !channel_is_silent(&session->control->channel)) {
		struct pollfd fds = {.fd = channel_fd(&session->control->channel), .events = POLLIN};
		enum control_state state;

		wait_fds(&fds, 1, deadline_in_ms(LOOK_MS));
		state = control_look(session->control);
		session->peer_done = state == CONTROL_SPOKE;
		session->peer_gone = state == CONTROL_GONE;
	}
	session->stopped = stop_requested();
	session->peer_still = session->control->dialect->announces_done && !session->peer_done && !session->peer_gone &&
			      !session->stopped;
}
