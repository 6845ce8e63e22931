/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs one size, from its barrier to its end. A sending side repeatedly starts a list, waits until it is acknowledged
 * and answered, and with both directions until the peer's list has arrived, too. A receiving side responds to each
 * list. When a side has completed its iterations, or its time, it tells the other how many lists it has started; both
 * continue until all of these have arrived, so that nothing is in flight when the next size starts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cxi/buffers.h"
#include "cxi/control/channel.h"
#include "cxi/ops.h"
#include "cxi/parameters.h"

/* What one side has seen in an interval. */
struct cxi_seen {
	uint64_t lists; /* in both directions */
	uint64_t sent;	/* those in whole iterations of this side */
	double seconds;
	uint64_t over_cycles; /* its end */
};

struct cxi_test {
	const struct cxi_params *params;
	const struct cxi_plan *plan;
	const struct cxi_buffers *buffers;
	struct cxi_link *link;
	struct cxi_channel *channel;
	bool is_server;
	/*
	 * Responses that the peer had not taken when the previous size ended by time: a peer of HPE takes them for
	 * those to its first lists of this one.
	 */
	uint64_t *ahead;
	/* When this side is prepared: waits for others than the peer. 0 or -errno, reported. NULL: there are none. */
	int (*await_start)(void *context);
	/* Prints an interval row; NULL: none. 0 or -errno, reported: it ends the run. */
	int (*on_interval)(void *context, const struct cxi_seen *seen, double begin_s);
	void *context;
};

struct cxi_outcome {
	struct cxi_sent own, peer;
	struct cxi_checked own_checked, peer_checked;
	/*
	 * For the row of an interrupted run: from the start to the user's stop, or otherwise to the last completed
	 * list, so that the wait for a dead peer is not part of the rate.
	 */
	struct cxi_seen seen;
	int64_t begin_ns, begin_error_ns; /* by CLOCK_MONOTONIC; the sender began at most that much later */
};

/* How long a run may go without a completed list before it is given up, ms. */
int64_t cxi_standstill_ms(const struct cxi_params *params, uint64_t size);
/* 0 or -errno, reported except -EINTR. *outcome is always set, as far as it is known. */
int cxi_run_size(const struct cxi_test *test, const struct cxi_run *run, struct cxi_outcome *outcome);
