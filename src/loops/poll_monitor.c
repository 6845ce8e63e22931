// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The slow part of every loop; see poll_monitor.h. */
#define _GNU_SOURCE /* ppoll() */
#include "loops/poll_monitor.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <time.h>

#include "loops/run.h"
#include "stats/clock.h"
#include "util/stop.h"

#define IDLE_NS	   1e6
#define SPACING_NS 1e6 /* minimum time between looks */
#define MAX_SHIFT  3
#define BACK_NS	   1e9

void poll_monitor_open(struct poll_monitor *monitor, uint32_t period, uint64_t now_cycles)
{
	*monitor = (struct poll_monitor){
		.period = period,
		.countdown = period,
		.idle_cycles = clock_ns_to_cycles(IDLE_NS),
		.back_cycles = clock_ns_to_cycles(BACK_NS),
		.spacing_cycles = clock_ns_to_cycles(SPACING_NS),
		.looked_cycles = now_cycles,
		.moved_cycles = now_cycles,
		.asked_cycles = now_cycles,
	};
}

static enum poll_verdict poll_monitor_ask(struct poll_monitor *monitor, struct run *run)
{
	switch (run->hooks.idle ? run->hooks.idle(run) : IDLE_WAIT) {
	case IDLE_ABORT:
		return POLL_ABORT;
	case IDLE_DRAIN:
		monitor->drained = true;
		break;
	case IDLE_WAIT:
		break;
	}
	return POLL_GO;
}

bool poll_monitor_tick(struct run *run, uint64_t now_cycles)
{
	const bool stopped = run->result.stopped;

	run->hooks.next_tick_cycles = run->hooks.tick ? run->hooks.tick(run, now_cycles) : UINT64_MAX;
	return !stopped && run->result.stopped;
}

enum poll_verdict poll_monitor_look(struct poll_monitor *monitor, struct run *run, uint64_t count, uint64_t now_cycles)
{
	enum poll_verdict verdict = POLL_GO;

	if (poll_monitor_is_back(monitor, monitor->looked_cycles, now_cycles)) {
		run->result.clock_is_back = true;
		return POLL_ABORT;
	}
	/* Otherwise polls that find hundreds of messages of a few nanoseconds would have a look each. */
	if (count - monitor->moved_count <= monitor->period ||
	    now_cycles - monitor->looked_cycles >= monitor->spacing_cycles)
		monitor->shift = 0;
	else if (monitor->shift < MAX_SHIFT)
		monitor->shift++;
	monitor->looked_cycles = now_cycles;
	monitor->countdown = (int64_t)monitor->period << monitor->shift;
	if (now_cycles >= monitor->tick_grace_cycles &&
	    now_cycles - monitor->tick_grace_cycles >= run->hooks.next_tick_cycles &&
	    poll_monitor_tick(run, now_cycles))
		return POLL_ABORT;
	if (count != monitor->moved_count) {
		monitor->moved_count = count;
		monitor->moved_cycles = now_cycles;
		monitor->asked_cycles = now_cycles;
	} else if (run->plan.yields) {
		sched_yield();
	}
	if (monitor->ask_now || now_cycles - monitor->asked_cycles >= monitor->idle_cycles) {
		monitor->ask_now = false;
		monitor->asked_cycles = now_cycles;
		verdict = poll_monitor_ask(monitor, run);
	}
	return verdict == POLL_GO && stop_requested() ? POLL_STOP : verdict;
}

bool poll_monitor_ends(struct poll_monitor *monitor, struct run *run, uint64_t count, uint64_t now_cycles)
{
	if (poll_monitor_look(monitor, run, count, now_cycles) != POLL_GO)
		run->result.stopped = true;
	return run->result.stopped || monitor->drained;
}

int poll_monitor_result(const struct run *run, int ended)
{
	if (ended >= 0 && run->result.clock_is_back)
		return -ETIME;
	return ended < 0 ? ended : 0;
}

/* --- sleeping on completion channels --- */

#define ACK_AT_ONCE 128

void cq_wait_add(struct cq_wait *cq_wait, struct ibv_comp_channel *channel, struct ibv_cq *cq)
{
	if (channel)
		cq_wait->channels[cq_wait->count++] = (struct cq_channel){.channel = channel, .cq = cq};
}

/* 1: armed a queue, poll again before sleeping; 0: all were armed; or -errno. */
static int cq_wait_arm(struct cq_wait *cq_wait)
{
	int armed = 0;

	for (unsigned i = 0; i < cq_wait->count; i++) {
		struct cq_channel *from = &cq_wait->channels[i];
		int err;

		if (from->armed)
			continue;
		err = ibv_req_notify_cq(from->cq, 0 /* any completion */);
		if (err)
			return -err;
		from->armed = true;
		armed = 1;
	}
	return armed;
}

static int cq_channel_take_event(struct cq_channel *from)
{
	struct ibv_cq *cq;
	void *context;
	int err;

	if (ibv_get_cq_event(from->channel, &cq, &context)) {
		err = errno ? -errno : -EIO;
		return err == -EAGAIN || err == -EINTR ? 0 : err;
	}
	from->armed = false;
	if (++from->unacked == ACK_AT_ONCE) {
		ibv_ack_cq_events(from->cq, from->unacked);
		from->unacked = 0;
	}
	return 0;
}

int cq_wait_sleep(struct cq_wait *cq_wait, uint64_t timeout_ns)
{
	struct timespec timeout = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
	struct pollfd fds[sizeof(cq_wait->channels) / sizeof(cq_wait->channels[0])];
	int err, found = 0;

	for (unsigned i = 0; i < cq_wait->count; i++)
		fds[i] = (struct pollfd){.fd = cq_wait->channels[i].channel->fd, .events = POLLIN};
	if (ppoll(fds, cq_wait->count, &timeout, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	for (unsigned i = 0; i < cq_wait->count; i++) {
		if (!fds[i].revents)
			continue;
		err = cq_channel_take_event(&cq_wait->channels[i]);
		if (err)
			return err;
		found = 1;
	}
	return found;
}

int cq_wait_rest(struct cq_wait *cq_wait, struct poll_monitor *monitor, uint64_t timeout_ns)
{
	int ret = cq_wait_arm(cq_wait);

	if (ret)
		return ret < 0 ? ret : 0;
	ret = cq_wait_sleep(cq_wait, timeout_ns);
	/* What woke it is polled first. */
	monitor->countdown = ret > 0 ? 2 : 1;
	return ret < 0 ? ret : 0;
}

void cq_wait_close(struct cq_wait *cq_wait)
{
	for (unsigned i = 0; i < cq_wait->count; i++) {
		if (cq_wait->channels[i].unacked)
			ibv_ack_cq_events(cq_wait->channels[i].cq, cq_wait->channels[i].unacked);
	}
	*cq_wait = (struct cq_wait){0};
}
