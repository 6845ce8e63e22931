// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs one size. See run.h. */
#include "cxi/run.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "cxi/intervals.h"
#include "stats/clock.h"
#include "util/claim.h"
#include "util/log.h"
#include "util/stop.h"

#define NS_PER_S	1000000000ULL
#define LOOK_MS		1     /* between two checks of the side channel */
#define POLLS_PER_CLOCK 64    /* empty polls between two checks of the clock */
#define POLLS_PER_YIELD 1024  /* empty polls after which the CPU is yielded */
#define REASON_MS	500   /* for the peer's reason, if the transport fails */
#define BYTES_PER_MS	10000 /* the slowest that a list may be: 10 MB/s */

struct runner {
	const struct cxi_test *test;
	const struct cxi_run *run;
	struct cxi_outcome *outcome;
	struct cxi_progress progress;
	uint64_t responded;    /* lists that were answered */
	uint64_t withheld;     /* those of them whose answer the peer has from the previous size */
	bool in_list;	       /* a list of this side is in flight */
	bool is_over;	       /* this side starts no more lists, and has told the peer */
	bool peer_is_over;     /* it starts no more lists */
	bool peer_has_sent;    /* its result; until it drains, what it has started is not known otherwise */
	bool peer_has_checked; /* and waits for this side */
	bool peer_has_left;    /* with its result, without what is in flight */
	int64_t met_ns;	       /* of claim_now_ns(); before the barrier */
	uint64_t begin, end;   /* cycles; end: no more iterations are started; UINT64_MAX: limited by number */
	uint64_t arrived;      /* cycles; the peer's first list; 0: none yet */
	uint64_t answered;     /* cycles; before the last response to the peer */
	uint64_t look_at;      /* cycles */
	uint64_t moved_at;     /* time of the last completion */
	uint64_t still_since;  /* moved_at, as of the last look */
	struct deadline still; /* how long it may stay the same; due: see deadline_stopped_ns() */
	struct deadline due;
	struct cxi_intervals intervals;
	unsigned idle_polls;  /* in succession */
	unsigned wrong_lists; /* number of wrong lists */
	int row_error;	      /* of an interval row, reported */
};

int64_t cxi_standstill_ms(const struct cxi_params *params, uint64_t size)
{
	return (int64_t)params->timeout_s * 1000 + (int64_t)(size * params->list / BYTES_PER_MS);
}

static bool drains(const struct runner *runner)
{
	return runner->test->channel->dialect->drains;
}

/* One that does not drain may leave with its result: what it has not taken by then fails, or is never acknowledged. */
static bool notice_leave(struct runner *runner)
{
	runner->peer_has_left = !drains(runner) && runner->is_over && runner->peer_has_sent &&
				conn_fill_now(&runner->test->channel->is.conn, 0) < 0;
	return runner->peer_has_left;
}

/* A peer that does not drain stops where it is when its time is over, and so does this side. */
static bool time_is_over(const struct runner *runner)
{
	return !drains(runner) && runner->test->params->duration_s &&
	       (runner->peer_is_over || clock_cycles() >= runner->end);
}

/* Lists that were counted, in both directions. */
static uint64_t lists_of(const struct runner *runner)
{
	return runner->progress.received + runner->outcome->own.finished;
}

static struct cxi_seen seen_between(const struct cxi_mark *from, const struct cxi_mark *to)
{
	return (struct cxi_seen){
		.lists = to->lists - from->lists,
		.sent = to->sent - from->sent,
		.seconds = clock_cycles_to_seconds((double)(to->cycles - from->cycles)),
		.over_cycles = to->cycles,
	};
}

/* Both sides print a row of the same numbers, so the time is one that can be sent. */
static uint64_t elapsed_ns(const struct runner *runner, uint64_t now)
{
	const unsigned tick_ns = runner->test->channel->dialect->tick_ns;
	const double ns = clock_cycles_to_ns((double)(now - runner->begin));

	return ns >= tick_ns ? (uint64_t)ns / tick_ns * tick_ns : tick_ns;
}

/* --- regular checks --- */

static int standstill(const struct runner *runner)
{
	return log_fail(
		-ETIMEDOUT,
		"no list of sends completed within %.0f s, although the %s (%s) is alive: the transport lost data, "
		"or is slower than 10 MB/s (--timeout)",
		(double)runner->run->standstill_ms / 1e3, channel_peer_role(&runner->test->channel->is),
		channel_peer(&runner->test->channel->is));
}

static void interval_row(void *context, const struct cxi_mark *from, const struct cxi_mark *to)
{
	struct runner *runner = context;
	const struct cxi_seen seen = seen_between(from, to);

	runner->row_error = runner->test->on_interval(runner->test->context, &seen,
						      clock_cycles_to_seconds((double)(from->cycles - runner->begin)));
}

static uint64_t ns_between(uint64_t begin, uint64_t end)
{
	return end > begin ? (uint64_t)clock_cycles_to_ns((double)(end - begin)) : 0;
}

/* What the peer reported is not possible. */
static int refuse_claim(const struct runner *runner, const char *noun, const char *fault)
{
	return conn_error(&runner->test->channel->is.conn, -EPROTO, "sent a %s that does not belong to this test: %s",
			  noun, fault);
}

/* A peer sends what it was asked to: nothing, all by number, or what there is time for. */
static int take_result(struct runner *runner, const struct cxi_frame *frame)
{
	const struct cxi_params *params = runner->test->params;
	const struct cxi_plan *plan = runner->test->plan;
	const struct cxi_witness witness = {
		.peer_sends = plan->receives,
		.iters = params->duration_s ? 0 : params->iters,
		.window_ns = params->duration_s * NS_PER_S,
		/* One that does not drain may count a send of this side for the answer that the previous size owes it.
		 */
		.responded = drains(runner) || !plan->sends ? runner->responded : UINT64_MAX,
		.since_s = claim_since_s(runner->met_ns),
		.least_ns = ns_between(runner->arrived, runner->answered),
	};
	const char *fault;
	int ret = cxi_channel_expect(runner->test->channel, frame, MESSAGE_RESULT);

	if (ret)
		return ret;
	fault = cxi_claim_sent(&witness, &frame->sent);
	if (fault)
		return refuse_claim(runner, "result", fault);
	runner->peer_is_over = runner->peer_has_sent = true;
	runner->outcome->peer = frame->sent;
	return 0;
}

/*
 * The peer's CHECKED: its last frame for this size, after this side's RESULT. The peer has everything, this side may
 * not.
 */
static int take_check(struct runner *runner, const struct cxi_frame *frame)
{
	const struct cxi_params *params = runner->test->params;
	const char *fault;
	int ret = cxi_channel_expect(runner->test->channel, frame, CXI_FRAME_CHECKED);

	if (ret)
		return ret;
	if (!runner->is_over || runner->peer_has_checked)
		return conn_error(&runner->test->channel->is.conn, -EPROTO,
				  "finished this size twice, or before this side did");
	fault = cxi_claim_checked(params->verify, runner->outcome->own.started, params->list, &frame->checked);
	if (fault)
		return refuse_claim(runner, "check", fault);
	runner->peer_has_checked = true;
	runner->outcome->peer_checked = frame->checked;
	return 0;
}

static int take_frame_of_size(struct runner *runner, const struct cxi_frame *frame)
{
	if (frame->type == CXI_FRAME_OVER) {
		runner->peer_is_over = true;
		return 0;
	}
	return runner->peer_has_sent ? take_check(runner, frame) : take_result(runner, frame);
}

/*
 * Reports the transport's error, or the peer's message about it if there is one. 0: the peer has left: its NIC may fail
 * this side's sends before its result, which has arrived, was read.
 */
static int transport_failed(struct runner *runner, int error)
{
	const struct deadline deadline = deadline_in_ms(REASON_MS);
	struct cxi_channel *channel = runner->test->channel;
	struct cxi_frame frame;
	int ret = 0;

	if (error == -EINTR)
		return error;
	while (ret >= 0 && !deadline_passed(deadline)) {
		if (notice_leave(runner))
			return 0;
		ret = cxi_channel_look(channel, &frame);
		if (ret > 0 && runner->begin && !drains(runner))
			ret = take_frame_of_size(runner, &frame);
		else if (!ret && conn_wait(&channel->is.conn, POLLIN, deadline) == -EINTR)
			ret = -EINTR;
	}
	if (ret < 0)
		return ret; /* reported */
	return log_fail(error, "%s", runner->test->link->fault);
}

/* However long this side waits for its transport, it sends ALIVE, and notices that a peer is gone. */
static int runner_look(struct runner *runner, uint64_t now)
{
	struct cxi_frame frame;
	int ret;

	runner->look_at = now + clock_ns_to_cycles(LOOK_MS * 1e6);
	if (!runner->is_over && !runner->peer_is_over)
		cxi_intervals_look(&runner->intervals, now);
	if (runner->row_error)
		return runner->row_error;
	if (stop_requested())
		return -EINTR;
	if (notice_leave(runner))
		return 0;
	ret = cxi_channel_look(runner->test->channel, &frame);
	if (ret < 0)
		return ret;
	if (ret)
		return take_frame_of_size(runner, &frame);
	if (runner->still_since != runner->moved_at) {
		runner->still_since = runner->moved_at;
		runner->still = deadline_in_ms(runner->run->standstill_ms);
	}
	deadline_postpone(&runner->still, deadline_stopped_ns(&runner->due, LOOK_MS));
	return deadline_passed(runner->still) ? standstill(runner) : 0;
}

/* --- lists --- */

static void runner_check(struct runner *runner)
{
	const struct cxi_test *test = runner->test;
	struct cxi_checked *checked = &runner->outcome->own_checked;
	char text[CXI_FAULT_SIZE];
	uint64_t wrong;

	wrong = cxi_check_list(test->buffers, runner->run, !test->is_server, runner->responded, text, sizeof(text));
	if (memory_copies_failed()) /* step() ends the run */
		return;
	checked->messages += runner->run->slots;
	checked->wrong += wrong;
	if (wrong && !runner->wrong_lists++)
		log_error("--verify: %s", text);
	/* The time for checking is included in the results, so the last row must end after it. */
	runner->moved_at = clock_cycles();
}

/* Responds to the lists that have arrived. */
static int runner_answer(struct runner *runner)
{
	struct cxi_link *link = runner->test->link;
	int ret = 0;

	if (!runner->arrived && runner->progress.received)
		runner->arrived = runner->moved_at;
	/* One that does not drain may have left. */
	while (!ret && runner->responded < runner->progress.received && (drains(runner) || !runner->is_over)) {
		runner->answered = runner->moved_at;
		if (runner->test->params->verify)
			runner_check(runner);
		runner->responded++;
		if (runner->responded <= *runner->test->ahead)
			runner->withheld++;
		else
			ret = link->ops->respond(link);
	}
	return ret ? transport_failed(runner, ret) : 0;
}

/*
 * With a duration, the rate refers to all of it, as in the other programs: an incomplete iteration is not counted, but
 * its time is.
 */
static int send_result(struct runner *runner)
{
	struct cxi_sent *own = &runner->outcome->own;
	const uint64_t window_ns = runner->test->params->duration_s * NS_PER_S; /* 0: limited by iterations */
	struct cxi_frame frame;

	if (runner->test->plan->sends && own->elapsed_ns < window_ns)
		own->elapsed_ns = window_ns;
	frame.sent = *own;
	runner->is_over = true;
	return channel_send(&runner->test->channel->is, MESSAGE_RESULT, &frame);
}

static int begin_list(struct runner *runner)
{
	const struct cxi_test *test = runner->test;
	struct cxi_sent *own = &runner->outcome->own;
	int ret;

	if (time_is_over(runner) ||
	    (runner->end == UINT64_MAX ? own->finished == test->params->iters : clock_cycles() >= runner->end))
		return send_result(runner);
	if (test->params->verify)
		cxi_fill_list(test->buffers, runner->run, test->is_server, own->started);
	own->started++;
	runner->in_list = true;
	ret = test->link->ops->start(test->link);
	return ret ? transport_failed(runner, ret) : 0;
}

/* The peer's time was over before it started its part of this iteration, or before it answered. */
static bool iteration_is_lost(const struct runner *runner)
{
	const struct cxi_progress *progress = &runner->progress;
	const struct cxi_outcome *outcome = runner->outcome;

	if (!drains(runner))
		return time_is_over(runner);
	return progress->responses == outcome->own.started && runner->peer_is_over &&
	       progress->received >= outcome->peer.started && outcome->peer.started < outcome->own.started;
}

/* Is the iteration complete, or will it never be? */
static int end_list(struct runner *runner)
{
	const struct cxi_progress *progress = &runner->progress;
	struct cxi_sent *own = &runner->outcome->own;

	if (progress->sent < own->started)
		return 0;
	if (progress->responses < own->started || (runner->test->plan->receives && progress->received < own->started)) {
		if (!iteration_is_lost(runner))
			return 0;
		runner->in_list = false;
		return send_result(runner);
	}
	runner->in_list = false;
	own->finished = own->started;
	own->elapsed_ns = elapsed_ns(runner, clock_cycles());
	return 0;
}

/* Nothing that either side has started is in flight; if the peer does not drain, nothing of this side. */
static bool runner_is_drained(const struct runner *runner)
{
	const struct cxi_progress *progress = &runner->progress;

	if (!drains(runner))
		return progress->sent == runner->outcome->own.started &&
		       (runner->is_over || runner->test->plan->sends ||
			progress->responded == runner->responded - runner->withheld);
	return progress->sent == runner->outcome->own.started && progress->responses == runner->outcome->own.started &&
	       progress->received == runner->outcome->peer.started && progress->responded == progress->received;
}

/* *now: set if the clock was read, otherwise unchanged. */
static int poll_once(struct runner *runner, uint64_t *now)
{
	const struct cxi_progress before = runner->progress;
	struct cxi_link *link = runner->test->link;
	int ret;

	ret = link->ops->poll(link, &runner->progress);
	if (ret)
		return transport_failed(runner, ret);
	if (memcmp(&before, &runner->progress, sizeof(before)) != 0) {
		runner->idle_polls = 0;
		*now = runner->moved_at = clock_cycles();
	} else {
		runner->idle_polls++;
		if (runner->idle_polls % POLLS_PER_YIELD == 0)
			sched_yield();
		if (runner->idle_polls % POLLS_PER_CLOCK == 0)
			*now = clock_cycles();
	}
	return 0;
}

static int step(struct runner *runner)
{
	uint64_t now = 0;
	int ret;

	if (!runner->in_list && !runner->is_over && runner->test->plan->sends) {
		ret = begin_list(runner);
		if (ret)
			return ret;
	}
	ret = poll_once(runner, &now);
	if (!ret)
		ret = runner_answer(runner);
	/* No data can be trusted after a failed copy to or from a GPU, which was reported. */
	if (!ret && memory_copies_failed())
		ret = -EIO;
	if (!ret && runner->in_list)
		ret = end_list(runner);
	/* Counts what this poll has completed, before a row may end. */
	cxi_intervals_count(&runner->intervals, lists_of(runner), runner->outcome->own.finished, runner->moved_at);
	if (now && now < runner->moved_at)
		now = runner->moved_at;
	if (!ret && now >= runner->look_at)
		ret = runner_look(runner, now);
	return ret;
}

/* The peer must not send more lists than it reports in its result. */
static int check_count(const struct runner *runner)
{
	if (!drains(runner) || !runner->peer_is_over || runner->progress.received <= runner->outcome->peer.started)
		return 0;
	return log_fail(-EPROTO, "%" PRIu64 " lists have arrived, but the %s (%s) says that it sent %" PRIu64,
			runner->progress.received, channel_peer_role(&runner->test->channel->is),
			channel_peer(&runner->test->channel->is), runner->outcome->peer.started);
}

static int run_lists(struct runner *runner)
{
	int ret = 0;

	while (!ret &&
	       !(runner->peer_has_sent && runner->is_over && (runner->peer_has_left || runner_is_drained(runner)))) {
		/* What the peer sent before it said so is there in the poll after that. */
		const bool was_over = runner->peer_is_over;

		ret = step(runner);
		if (!ret)
			ret = check_count(runner);
		/* A side that only receives is done when everything has arrived, and the sender waits for that. */
		if (!ret && !runner->test->plan->sends && !runner->is_over && was_over && runner_is_drained(runner))
			ret = send_result(runner);
	}
	return ret;
}

/* Both sides keep polling until the other has everything, too: the other may depend on it for progress. */
static int await_check(struct runner *runner)
{
	const struct cxi_test *test = runner->test;
	struct cxi_frame frame = {.checked = runner->outcome->own_checked};
	struct deadline limit = deadline_in_ms(runner->run->standstill_ms), due = {0};
	int ret;

	ret = channel_send(&test->channel->is, CXI_FRAME_CHECKED, &frame);
	while (!ret && !runner->peer_has_checked) {
		ret = test->link->ops->poll(test->link, &runner->progress);
		if (ret)
			return transport_failed(runner, ret);
		if (stop_requested())
			return -EINTR;
		ret = cxi_channel_look(test->channel, &frame);
		deadline_postpone(&limit, deadline_stopped_ns(&due, LOOK_MS));
		if (ret > 0)
			ret = take_check(runner, &frame);
		else if (!ret && deadline_passed(limit))
			return standstill(runner);
		sched_yield();
	}
	return ret;
}

static int runner_prepare(struct runner *runner)
{
	const struct cxi_test *test = runner->test;
	int ret;

	if (test->params->verify && test->plan->receives)
		cxi_vacate(test->buffers, runner->run, !test->is_server);
	ret = test->link->ops->prepare(test->link, runner->run);
	if (ret)
		return transport_failed(runner, ret);
	ret = test->await_start ? test->await_start(test->context) : 0;
	if (ret)
		return ret;
	runner->met_ns = claim_now_ns();
	return cxi_channel_barrier(test->channel);
}

static int run_prepared(struct runner *runner)
{
	const struct cxi_test *test = runner->test;
	struct cxi_mark begin = {0}, end;
	uint64_t until;
	int ret;

	runner->begin = runner->moved_at = clock_cycles();
	runner->look_at = runner->begin + clock_ns_to_cycles(LOOK_MS * 1e6);
	if (test->params->duration_s)
		runner->end = runner->begin + clock_ns_to_cycles((double)test->params->duration_s * 1e9);
	runner->intervals = (struct cxi_intervals){.row = interval_row, .context = runner};
	cxi_intervals_start(&runner->intervals, test->on_interval ? test->params->report_interval_s : 0, runner->begin,
			    runner->end);
	runner->outcome->begin_ns = (int64_t)clock_gettime_ns();
	ret = run_lists(runner);
	runner->outcome->begin_error_ns = (int64_t)ns_between(runner->begin, runner->arrived);
	until = ret == -EINTR ? clock_cycles() : runner->moved_at;
	begin.cycles = runner->begin;
	end = (struct cxi_mark){lists_of(runner), runner->outcome->own.finished, until};
	runner->outcome->seen = seen_between(&begin, &end);
	/* A run with a duration includes all of it. */
	if (!ret && test->params->duration_s && until < runner->end)
		until = runner->end;
	cxi_intervals_end(&runner->intervals, until);
	ret = ret ? ret : runner->row_error;
	if (!ret && drains(runner))
		ret = await_check(runner);
	else if (!ret && !test->plan->sends)
		*test->ahead = runner->responded - runner->outcome->peer.finished;
	if (ret || !test->link->ops->finish)
		return ret;
	ret = test->link->ops->finish(test->link, deadline_in_ms((int64_t)test->params->timeout_s * 1000));
	return ret ? transport_failed(runner, ret) : 0;
}

int cxi_run_size(const struct cxi_test *test, const struct cxi_run *run, struct cxi_outcome *outcome)
{
	struct runner runner = {.test = test, .run = run, .outcome = outcome, .end = UINT64_MAX};
	int ret;

	*outcome = (struct cxi_outcome){0};
	ret = runner_prepare(&runner);
	return ret ? ret : run_prepared(&runner);
}
