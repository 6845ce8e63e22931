// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The asking side of an open loop, whose requests do not wait for each other: requests are sent on schedule
 * (stats/schedule.h), up to tx_depth of them are in flight, and one that is due while that many are is late. A sample
 * has two latencies: since the request was due, which includes all waiting, and since its post. run.h says what exactly
 * is counted; lane.h how requests are posted and answers detected.
 *
 * If messages may be lost or overtaken, an answer carries the number of its request. Otherwise answers arrive in order.
 */
#include "loops/lane.h"
#include "stats/latency.h"
#include "util/stop.h"

#define LOSS_NS	    1e9 /* no answer for this long: what is in flight is lost, if the transport may lose messages */
#define LAST_NS	    2e8 /* ... after the last request, when nothing else is left to do */
#define NEAR_NS	    2e4 /* a request is due so soon that neither a look nor a tick is started */
#define QUIET_NS    1e5 /* a tick runs when nothing is in flight and nothing is due for this long, */
#define GRACE_NS    1e8 /* or when it has waited this long for that */
#define LATEST_NS   1e7 /* and a look when it has waited this long */
#define MEDIAN	    50.0
#define MOST_UNSENT (1U << 24) /* checked when the run ends: if there are more, the oldest, which are the longest */

struct open_loop {
	struct lane lane;
	struct schedule schedule;
	bool begun;	     /* the request before the schedule was answered */
	uint64_t due;	     /* of the next request; UINT64_MAX: none */
	uint64_t limit;	     /* requests, including that one */
	uint64_t oldest;     /* all before it are finished */
	uint64_t newest;     /* all from it on are unanswered; if numbered */
	uint64_t room_since; /* stamp of the answer that made room */
	uint64_t answered_at;
	uint64_t longest; /* of all samples since they were due, in cycles */
	uint64_t loss_cycles, last_cycles, near_cycles, quiet_cycles, grace_cycles, latest_cycles;
};

static inline struct open_request *request_of(const struct run *run, uint64_t n)
{
	return &run->plan.open.requests[n & run->plan.open.mask];
}

/* Is a request that is due then a sample? */
static inline bool in_window(const struct run *run, uint64_t cycles)
{
	return cycles >= run->plan.begin_sample_cycles && cycles < run->plan.end_sample_cycles;
}

static inline uint64_t in_flight(const struct run *run, const struct open_loop *open)
{
	return run->result.posted - open->oldest;
}

static void open_begin(struct run *run, struct open_loop *open, const unsigned flags)
{
	const uint64_t now = clock_cycles();

	*open = (struct open_loop){
		.due = now,
		.limit = run->plan.iters ? run->plan.iters : UINT64_MAX,
		.answered_at = now,
		.loss_cycles = clock_ns_to_cycles(LOSS_NS),
		.last_cycles = clock_ns_to_cycles(LAST_NS),
		.near_cycles = clock_ns_to_cycles(NEAR_NS),
		.quiet_cycles = clock_ns_to_cycles(QUIET_NS),
		.grace_cycles = clock_ns_to_cycles(GRACE_NS),
		.latest_cycles = clock_ns_to_cycles(LATEST_NS),
	};
	lane_open(&open->lane, run, flags);
	run->result.begin_cycles = run->result.finish_cycles = now;
}

/* The first request was answered, or lost: the schedule starts. */
static void begin_schedule(struct run *run, struct open_loop *open, uint64_t now)
{
	open->begun = true;
	schedule_begin(&open->schedule, &run->plan.open.pace, now);
	open->due = open->limit > 1 ? schedule_next(&open->schedule) : UINT64_MAX;
	run->result.begin_cycles = run->result.finish_cycles = now;
}

/* Posts the request that is due. 0 or -errno. */
LOOP_INLINE int send_due(struct run *run, struct open_loop *open, uint64_t now, const unsigned flags)
{
	const uint64_t n = run->result.posted;
	int result;

	*request_of(run, n) = (struct open_request){.due = open->due, .post = now};
	result = lane_post(run, &open->lane, n, flags);
	if (result)
		return result;
	if (!open->begun) {
		open->due = UINT64_MAX;
		return 0;
	}
	run->result.open.late += open->due < open->room_since && in_window(run, open->due);
	run->result.open.sent += in_window(run, now);
	run->result.finish_cycles = now;
	open->due = run->result.posted < open->limit ? schedule_next(&open->schedule) : UINT64_MAX;
	return !(flags & LANE_COMPLETION) && open->lane.signalled ? lane_reap(run, &open->lane) : 0;
}

static inline void open_record(struct run *run, struct open_loop *open, const struct open_request *request,
			       uint64_t now)
{
	run->result.open.answered += in_window(run, now);
	if (!in_window(run, request->due))
		return;
	run->result.sampled++;
	if (now - request->due > open->longest && now > request->due)
		open->longest = now - request->due;
	if (!run->plan.latency)
		return;
	latency_record_between(run->plan.latency, request->due, now);
	latency_record_between(run->plan.open.since_post, request->post, now);
}

/* The oldest request is finished: answered, or lost. */
static inline void pass_oldest(struct run *run, struct open_loop *open, uint64_t now)
{
	if (in_flight(run, open) >= run->plan.tx_depth)
		open->room_since = now;
	open->oldest++;
	if (__builtin_expect(!open->begun, 0))
		begin_schedule(run, open, now);
}

static void lose_oldest(struct run *run, struct open_loop *open, uint64_t now)
{
	const uint64_t due = request_of(run, open->oldest)->due;

	run->result.open.lost += open->begun && in_window(run, due);
	run->result.open.given_up++;
	pass_oldest(run, open, now);
}

/* The request with that number was answered, unless it is not awaited: given up, or answered already. */
static void answer_numbered(struct run *run, struct open_loop *open, uint32_t number, uint64_t now)
{
	const uint64_t n = open->oldest + (uint32_t)(number - (uint32_t)open->oldest);
	struct open_request *request;

	if (n >= run->result.posted)
		return;
	request = request_of(run, n);
	if (request->answered)
		return;
	request->answered = true;
	run->result.open.silent = false;
	run->result.completed++;
	open->answered_at = now;
	if (open->newest <= n)
		open->newest = n + 1;
	if (open->begun)
		open_record(run, open, request, now);
	while (open->oldest < run->result.posted && request_of(run, open->oldest)->answered)
		pass_oldest(run, open, now);
}

static inline void answer_oldest(struct run *run, struct open_loop *open, uint64_t now)
{
	run->result.completed++;
	open->answered_at = now;
	if (__builtin_expect(open->begun, 1))
		open_record(run, open, request_of(run, open->oldest), now);
	pass_oldest(run, open, now);
}

/*
 * Which requests will not be answered any more? The oldest, once a later one was answered and its slot is needed; and
 * all, if no answers arrive.
 */
static void give_up_lost(struct run *run, struct open_loop *open, uint64_t now)
{
	const bool ends = open->due == UINT64_MAX && open->begun;
	const uint64_t timeout = ends ? open->last_cycles : open->loss_cycles;

	if (now >= open->due && in_flight(run, open) >= run->plan.tx_depth && open->newest > open->oldest)
		lose_oldest(run, open, now);
	while (open->oldest < run->result.posted && request_of(run, open->oldest)->answered)
		pass_oldest(run, open, now);
	if (open->oldest == run->result.posted || now < open->answered_at + timeout ||
	    now < request_of(run, run->result.posted - 1)->post + timeout)
		return;
	for (uint64_t end = run->result.posted; open->oldest < end;) {
		if (request_of(run, open->oldest)->answered)
			pass_oldest(run, open, now);
		else
			lose_oldest(run, open, now);
	}
	run->result.open.silent = true;
	open->answered_at = now;
}

/* By time, no request is posted after the end. Requests that were due by then and not posted are counted. */
static void end_schedule(struct run *run, struct open_loop *open, uint64_t now)
{
	const uint64_t end = now < run->plan.end_sample_cycles ? now : run->plan.end_sample_cycles;
	const uint64_t least = run->plan.latency ? (uint64_t)latency_percentile(run->plan.latency, MEDIAN) : UINT64_MAX;

	const uint64_t left = open->limit - run->result.posted;

	for (uint64_t n = 0; open->due < end && n < left && n < MOST_UNSENT; n++) {
		if (in_window(run, open->due)) {
			run->result.open.unsent++;
			run->result.open.stands_out |= now - open->due > open->longest;
			if (run->plan.latency && now - open->due > least)
				latency_record(run->plan.latency, now - open->due);
		}
		open->due = run->plan.open.pace.mean_cycles > 0 ? schedule_next(&open->schedule) : UINT64_MAX;
	}
	open->due = UINT64_MAX;
}

static void count_unanswered(struct run *run, struct open_loop *open, uint64_t now)
{
	struct latency *since_due = run->plan.latency, *since_post = run->plan.open.since_post;
	const double least = since_due ? latency_percentile(since_due, MEDIAN) : 0;
	const double least_post = since_due ? latency_percentile(since_post, MEDIAN) : 0;

	for (; open->oldest < run->result.posted; open->oldest++) {
		const struct open_request *request = request_of(run, open->oldest);

		if (request->answered || !in_window(run, request->due) || !open->begun)
			continue;
		/* The other side has answered all that it received, and ended. */
		if (run->plan.open.may_lose && !run->result.stopped) {
			run->result.open.lost++;
			continue;
		}
		run->result.open.unanswered++;
		/* The clock went back. */
		if (__builtin_expect(now < request->due || now < request->post, 0))
			continue;
		run->result.open.stands_out |= now - request->due > open->longest;
		if (!since_due || (double)(now - request->due) <= least)
			continue;
		latency_record(since_due, now - request->due);
		if ((double)(now - request->post) > least_post)
			latency_record(since_post, now - request->post);
	}
}

/* Is there too little time for anything but requests? */
static inline bool is_near(const struct open_loop *open, uint64_t now)
{
	return open->due > now && open->due - now < open->near_cycles;
}

/* It no longer waits for an idle moment. */
static inline bool tick_is_late(const struct run *run, const struct open_loop *open, uint64_t now)
{
	return now > run->hooks.next_tick_cycles && open->begun &&
	       now - run->hooks.next_tick_cycles > open->grace_cycles;
}

static bool tick_is_due(const struct run *run, const struct open_loop *open, uint64_t now)
{
	if (now < run->hooks.next_tick_cycles || !open->begun)
		return false;
	if (in_flight(run, open) == 0 && (open->due == UINT64_MAX || open->due > now + open->quiet_cycles))
		return true;
	return tick_is_late(run, open, now);
}

/* Between two polls, when nothing arrived. Returns what lane_look() does. */
static int open_rest(struct run *run, struct open_loop *open, uint64_t now, const unsigned flags)
{
	if ((flags & LANE_NUMBERED) && run->plan.open.may_lose)
		give_up_lost(run, open, now);
	if (__builtin_expect(tick_is_due(run, open, now), 0) && poll_monitor_tick(run, now))
		return 1;
	if (!poll_monitor_due(&open->lane.monitor, 0 /* moved */) ||
	    (is_near(open, now) && now - open->lane.monitor.looked_cycles < open->latest_cycles))
		return 0;
	return lane_look(run, &open->lane, run->result.completed, flags);
}

LOOP_INLINE int keep_schedule(struct run *run, struct open_loop *open, const unsigned flags)
{
	uint32_t number = 0;
	int result = 0;

	while (result >= 0) {
		uint64_t now = clock_cycles();

		if (__builtin_expect(now >= run->plan.end_cycles, 0) && open->begun && open->due != UINT64_MAX)
			end_schedule(run, open, now);
		if (now >= open->due && in_flight(run, open) < run->plan.tx_depth) {
			if (__builtin_expect(lane_has_room(&open->lane) || flags & LANE_COMPLETION, 1))
				result = send_due(run, open, now, flags);
			else
				result = lane_reap(run, &open->lane);
			if (result < 0)
				return result;
		}
		if (in_flight(run, open) == 0) {
			if (open->due == UINT64_MAX)
				return 0;
			result = 0;
		} else {
			result = lane_arrived(run, &open->lane, open->oldest, &number, flags);
		}
		if (result > 0) {
			now = clock_cycles();
			if (flags & LANE_NUMBERED)
				answer_numbered(run, open, number, now);
			else
				answer_oldest(run, open, now);
			/* Even if each poll finds something. */
			if (__builtin_expect(tick_is_late(run, open, now), 0) && poll_monitor_tick(run, now))
				return 0;
		} else if (result == 0) {
			result = open_rest(run, open, now, flags);
			if (result)
				return result < 0 ? result : 0;
		}
		if (__builtin_expect(stop_requested(), 0)) {
			run->result.stopped = true;
			return 0;
		}
	}
	return result;
}

LOOP_INLINE int open_body(struct run *run, const unsigned flags)
{
	struct open_loop open;
	uint64_t now;
	int result;

	open_begin(run, &open, flags);
	result = keep_schedule(run, &open, flags);
	now = clock_cycles();
	count_unanswered(run, &open, now);
	if (open.begun && open.due != UINT64_MAX)
		end_schedule(run, &open, now);
	run->result.last_cycles = now;
	if (run->plan.end_sample_cycles != UINT64_MAX) {
		run->result.begin_cycles = run->plan.begin_sample_cycles;
		run->result.finish_cycles = now < run->plan.end_sample_cycles ? now : run->plan.end_sample_cycles;
	}
	if (result >= 0 && !run->result.stopped)
		result = lane_reap_all(run, &open.lane, flags);
	run->result.sent_all = !open.lane.signalled;
	return poll_monitor_result(run, result);
}

#define DEFINE(name, flags)                                                                                            \
	static int open_##name(struct run *run)                                                                        \
	{                                                                                                              \
		return open_body(run, flags);                                                                          \
	}
LANE_LOOPS(DEFINE)
DEFINE(completion, LANE_COMPLETION)
DEFINE(completion_api, LANE_COMPLETION | LANE_WR_API)

int loop_open_write(struct run *run)
{
	return lane_choose(run, LANE_BYTE, open_byte, open_byte_api, open_body);
}

int loop_open_send(struct run *run)
{
	return lane_choose(run, LANE_RECEIVE, open_receive, open_receive_api, open_body);
}

int loop_open_request(struct run *run)
{
	return lane_choose(run, LANE_COMPLETION, open_completion, open_completion_api, open_body);
}
