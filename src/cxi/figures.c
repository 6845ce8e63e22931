// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Computes the results of a row. See figures.h. */
#include "cxi/figures.h"

#include <math.h>

#define NS_PER_S 1e9

uint64_t cxi_packets(uint64_t size)
{
	return (size - 1) / CXI_MTU + 1;
}

void cxi_figures_rate(const struct cxi_account *account, double bandwidth, struct cxi_figures *figures)
{
	const double packets = (double)cxi_packets(account->size) / (double)account->size;

	figures->size = account->size;
	figures->bandwidth = bandwidth;
	figures->packets = account->has_packets ? bandwidth * packets : NAN;
}

/* Of so many lists, in bytes per second. */
static double bandwidth_of(const struct cxi_account *account, uint64_t lists, double seconds)
{
	const double bytes = (double)lists * account->list * (double)account->size;

	return seconds > 0 ? bytes / seconds * (account->doubled ? 2 : 1) : 0;
}

void cxi_figures_make(const struct cxi_account *account, const struct cxi_sent *own, const struct cxi_sent *peer,
		      struct cxi_figures *figures)
{
	const double own_s = (double)own->elapsed_ns / NS_PER_S, peer_s = (double)peer->elapsed_ns / NS_PER_S;

	figures->sends = own->finished * account->list;
	figures->seconds = own->elapsed_ns ? own_s : peer_s;
	cxi_figures_rate(account,
			 bandwidth_of(account, own->finished, own_s) + bandwidth_of(account, peer->finished, peer_s),
			 figures);
}

void cxi_figures_seen(const struct cxi_account *account, uint64_t lists, double seconds, struct cxi_figures *figures)
{
	figures->seconds = seconds;
	cxi_figures_rate(account, bandwidth_of(account, lists, seconds), figures);
}
