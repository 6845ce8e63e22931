/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One size, from its barrier to its end. A side that sends repeats: start a list, wait until it is acknowledged and
 * answered, and with both directions until the other side's list has come, too. A side that receives answers each list.
 * A side that has had its iterations, or its time, says so and how many lists it began; both go on until all of them
 * have arrived, so that nothing of one size is under way when the next begins.
 */
#ifndef CXI_RUN_H
#define CXI_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "cxi/buffers.h"
#include "cxi/channel.h"
#include "cxi/figures.h"
#include "cxi/ops.h"
#include "cxi/parameters.h"

/* What one side alone has seen within some time. */
struct cxi_seen {
	uint64_t lists; /* in and out */
	uint64_t sent;	/* of them those of whole iterations of this side's */
	double seconds;
};

struct cxi_test {
	const struct cxi_params *params;
	const struct cxi_plan *plan;
	const struct cxi_buffers *buffers;
	struct cxi_link *link;
	struct cxi_channel *channel;
	bool is_server;
	/* A row of an interval; NULL: none is asked for. */
	void (*on_interval)(void *context, const struct cxi_seen *seen, double begin_s);
	void *context;
};

struct cxi_outcome {
	struct cxi_sent own, peer;
	struct cxi_checked own_checked, peer_checked;
	/*
	 * For a row that was cut short: since the beginning, until the user's stop, or else until the last list that
	 * was completed, so that the time in which a dead peer was waited for is in no rate.
	 */
	struct cxi_seen seen;
};

/* How long no list may be completed before a run is given up, ms. */
int64_t cxi_standstill_ms(const struct cxi_params *params, uint64_t size);
/* 0 or -errno, reported but -EINTR. outcome is written in any case, as far as it is known. */
int cxi_run_size(const struct cxi_test *test, const struct cxi_run *run, struct cxi_outcome *outcome);

#endif
