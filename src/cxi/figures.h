/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Computes the results of a row from counts, as the manual page defines them: bandwidth is the bytes sent, divided by
 * the time of the sending side; the packet rate counts packets of CXI_MTU bytes; with both directions the rates of both
 * sides are added. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cxi/control/wire.h"
#include "stats/series.h"

/* The results for one size, in SI units. */
struct cxi_figures {
	bool is_interval;
	bool partial;		      /* the run was interrupted */
	uint64_t size;		      /* bytes of a send */
	bool has_sends;		      /* this side sends; the server shows none in a unidirectional test */
	uint64_t sends;		      /* by this side */
	double begin_s;		      /* of an interval, since the start of the size */
	double seconds;		      /* duration of this side's results */
	double bandwidth;	      /* bytes per second, sum of both sides */
	double packets;		      /* per second, likewise; NaN: the transport has no such packets */
	bool has_verify;	      /* never of an interval */
	uint64_t checked, wrong;      /* sends that were checked, and those with errors, on both sides */
	struct series_result repeats; /* whose mean the rates are; sums are of those left out, too */
};

/* Number of packets for a send. */
uint64_t cxi_packets(uint64_t size);

struct cxi_account {
	uint64_t size;
	uint32_t list;	  /* sends of a list */
	bool has_packets; /* of CXI_MTU bytes */
	bool doubled;	  /* both sides send, on the same NIC */
};

/* own, peer: all zero for a side that sends nothing. */
void cxi_figures_make(const struct cxi_account *account, const struct cxi_sent *own, const struct cxi_sent *peer,
		      struct cxi_figures *figures);
/* What this side alone has seen: that many lists, in either direction, within that time. */
void cxi_figures_seen(const struct cxi_account *account, uint64_t lists, double seconds, struct cxi_figures *figures);

/* The rates that belong to a bandwidth of both sides together. */
void cxi_figures_rate(const struct cxi_account *account, double bandwidth, struct cxi_figures *figures);
