/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a loop does besides polling, but not at every poll: it reads the clock, checks for the user's request to stop,
 * runs ticks, and, if nothing has moved for a millisecond, calls session (idle()).
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct run;

struct poll_monitor {
	uint32_t period;   /* unsuccessful polls between two looks */
	int64_t countdown; /* polls until the next look */
	unsigned shift;	   /* the period is longer by this power of two while messages are fast */
	uint64_t spacing_cycles;
	uint64_t looked_cycles; /* the last look */
	uint64_t back_cycles;	/* a clock that goes back by more is unusable */
	uint64_t idle_cycles;
	uint64_t tick_grace_cycles; /* a tick that is overdue by less is left to the loop */
	uint64_t moved_count;	    /* messages at the last look that found more than before */
	uint64_t moved_cycles;	    /* when that was */
	uint64_t asked_cycles;	    /* when something last moved or idle() was last called */
	bool ask_now;		    /* idle() is to be called at the next look, even if something moved */
	bool drained;		    /* idle() said that nothing more will arrive */
};

enum poll_verdict {
	POLL_GO,
	POLL_STOP,  /* the user stopped the run; what is in flight may complete */
	POLL_ABORT, /* nothing more will arrive */
};

void poll_monitor_open(struct poll_monitor *monitor, uint32_t period, uint64_t now_cycles);

/*
 * At every poll: is it time for a look? Four messages count as a poll: if a message takes the CPU a millisecond (rxe on
 * a slow machine) and each poll finds a hundred, 64 polls would take seconds.
 */
static inline bool poll_monitor_due(struct poll_monitor *monitor, int64_t moved)
{
	monitor->countdown -= 1 + (moved >> 2);
	return __builtin_expect(monitor->countdown <= 0, 0);
}

/* True: the clock went back too far between the two readings, and the run ends. */
static inline bool poll_monitor_is_back(const struct poll_monitor *monitor, uint64_t before, uint64_t now)
{
	return __builtin_expect(now < before, 0) && before - now > monitor->back_cycles;
}

/* Runs the tick that is due. True: it ends the run. */
bool poll_monitor_tick(struct run *run, uint64_t now_cycles);

/* The look. count: messages so far, of any kind; its growth is progress. */
enum poll_verdict poll_monitor_look(struct poll_monitor *monitor, struct run *run, uint64_t count, uint64_t now_cycles);
/* The same for a loop that ends at once when the user stops it. True: the run ends; result.stopped: not regularly. */
bool poll_monitor_ends(struct poll_monitor *monitor, struct run *run, uint64_t count, uint64_t now_cycles);
/* What a loop returns that has ended so: 0 if it ended regularly (> 0), but -ETIME if a look found the clock back. */
int poll_monitor_result(const struct run *run, int ended);

/*
 * Sleeping on completion channels (-e). A loop whose poll finds nothing calls cq_wait_rest(), which first only arms the
 * queues: a completion between that poll and the arming would not wake the loop.
 */

struct cq_wait {
	unsigned count; /* of channels */
	struct cq_channel {
		struct ibv_comp_channel *channel;
		struct ibv_cq *cq;
		bool armed;
		unsigned unacked; /* events; an ack takes a lock, so many are acked at once */
	} channels[4];		  /* for sends and receives, on two devices */
};

/* Adds a channel, unless it is NULL. */
void cq_wait_add(struct cq_wait *cq_wait, struct ibv_comp_channel *channel, struct ibv_cq *cq);
/*
 * A poll found nothing: sleeps, unless something may have arrived before the queues were armed. Then a look is due; if
 * an event ended the sleep, behind the next poll. 0 or -errno.
 */
int cq_wait_rest(struct cq_wait *cq_wait, struct poll_monitor *monitor, uint64_t timeout_ns);
/* Until an event (1), or a signal or timeout_ns nanoseconds (0). Or -errno. */
int cq_wait_sleep(struct cq_wait *cq_wait, uint64_t timeout_ns);
/* Acks the remaining events; before the queues are destroyed. */
void cq_wait_close(struct cq_wait *cq_wait);
