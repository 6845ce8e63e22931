/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From counts to the figures of a row, as the manual page defines them: bandwidth is bytes of sends over the time of
 * the side that sent them, the packet rate counts packets of CXI_MTU bytes, and with both directions the two sides'
 * rates are added up. Pure functions.
 */
#ifndef CXI_FIGURES_H
#define CXI_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "cxi/wire.h"

/* What one size came to. SI units. */
struct cxi_figures {
	bool is_interval;
	bool partial;	  /* the run was cut short */
	uint64_t size;	  /* bytes of a send */
	bool has_sends;	  /* this side sent; a server of one direction shows none */
	uint64_t sends;	  /* of this side */
	double begin_s;	  /* of an interval, since the size began */
	double seconds;	  /* that this side's figures are taken over */
	double bandwidth; /* bytes per second, of both sides together */
	double packets;	  /* per second, in the same way; NaN: the transport has no such packets */
	bool has_verify;
	uint64_t checked, wrong; /* sends looked at, and those of them that were wrong, on both sides */
};

/* Packets that a send is split into. */
uint64_t cxi_packets(uint64_t size);

struct cxi_account {
	uint64_t size;
	uint32_t list;	  /* sends of a list */
	bool has_packets; /* of CXI_MTU bytes */
	bool doubled;	  /* both sides are on one NIC, and both send */
};

/* own, peer: of a side that sends nothing all is 0. */
void cxi_figures_make(const struct cxi_account *account, const struct cxi_sent *own, const struct cxi_sent *peer,
		      struct cxi_figures *figures);
/* What this side alone has seen: so many lists, in and out, within so long. */
void cxi_figures_seen(const struct cxi_account *account, uint64_t lists, double seconds, struct cxi_figures *figures);

#endif
