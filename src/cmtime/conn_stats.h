/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The results of a test: for each step three distributions over its connections, and the time from the first to the
 * last of them; and the number of connections over time. Results of several instances are added histogram bucket by
 * histogram bucket, so that percentiles of the whole cluster are correct.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "stats/latency.h"

/* The steps in the life of a connection, in the order of the classic table. */
enum step {
	STEP_FULL_CONNECT, /* from the first call for a connection until it is established */
	STEP_CREATE_ID,
	STEP_BIND_ADDR,
	STEP_RESOLVE_ADDR,
	STEP_RESOLVE_ROUTE,
	STEP_CREATE_QP,
	STEP_INIT_QP_ATTR,
	STEP_INIT_QP,
	STEP_RTR_QP_ATTR,
	STEP_RTR_QP,
	STEP_RTS_QP_ATTR,
	STEP_RTS_QP,
	STEP_CM_CONNECT,
	STEP_ESTABLISH,
	STEP_DISCONNECT,
	STEP_DESTROY_ID,
	STEP_DESTROY_QP,
	STEP_COUNT,
};

/*
 * Time stamps of a step of one connection; begin 0: it did not happen.
 *
 *   asked   it was put into the queue of the threads, or was due (--rate); 0: it did not wait
 *   begin   the call was made
 *   event   the answer was read from the event channel; 0: the step consists of the call alone
 *   taken   a thread started to handle the answer; 0 as above
 *   end     the step was complete
 *
 * The time of a step is begin to end. The service time (of the kernel, the network and the peer) is begin to event, or
 * all of it if there is no event. The queued time, waiting for one of our threads, is asked to begin and event to
 * taken.
 */
struct step_times {
	uint64_t asked, begin, event, taken, end; /* cycles */
};

/* "cm connect" */
const char *step_name(enum step step);

/* Measures of a step: see above. */
enum measure {
	MEASURE_TIME,
	MEASURE_SERVICE,
	MEASURE_QUEUED,
	MEASURE_COUNT,
};

struct step_stats {
	uint64_t total_ns;			/* from the first begin to the last end; merged: the maximum */
	struct latency measures[MEASURE_COUNT]; /* counts differ: not every step has all measures */
};

/*
 * Connections established in intervals of equal width. If a run exceeds the last interval, the width is doubled and
 * pairs are added up, so that any duration fits.
 */
#define RATE_INTERVALS 4096
#define RATE_WIDTH_NS  100000000 /* 100 ms at first */

struct rate {
	uint64_t width_ns; /* RATE_WIDTH_NS times a power of two */
	uint32_t used;	   /* intervals up to the last nonzero one */
	uint64_t counts[RATE_INTERVALS];
};

/* What is counted of a test besides its steps. */
struct conn_totals {
	uint64_t connections; /* established */
	uint64_t retries;     /* of resolving an address or a route, and of stale connections */
	/*
	 * Until when connections were established, and from when on: of a client, its first call for one; of a server,
	 * which sees none of the calls, the start of all. claim_now_ns() of this instance; merged: of all clients, by
	 * the controller's clock. 0: none was established.
	 */
	int64_t began_ns, ended_ns;
	struct rate rate; /* from began_ns on */
};

struct conn_stats {
	struct conn_totals totals;
	struct step_stats steps[STEP_COUNT];
};

/* 0 or -ENOMEM, not reported. */
int conn_stats_open(struct conn_stats **stats);
void conn_stats_close(struct conn_stats *stats); /* NULL is allowed */
/* Adds the steps; of the totals the maximum is kept. */
void conn_stats_add_steps(struct conn_stats *into, const struct conn_stats *from);
/* Adds another measurement of the same, whose connections follow those that are in there. */
void conn_stats_append(struct conn_stats *into, const struct conn_stats *from);
/* One step of one connection; converts cycles to ns. asked, taken and event may be 0. */
void conn_stats_record(struct conn_stats *stats, enum step step, const struct step_times *times);

void rate_count(struct rate *rate, uint64_t since_start_ns, uint64_t count);
/* The intervals of from begin shift_ns (>= 0) later, which is rounded to whole ones. */
void rate_add(struct rate *into, const struct rate *from, int64_t shift_ns);
/* Connections per second, from began_ns to ended_ns. 0: none was established. */
double conn_rate_average(const struct conn_totals *totals);
/* ... in the best complete interval, or the average if that is higher; NaN: no interval was completed. */
double conn_rate_peak(const struct conn_totals *totals);
