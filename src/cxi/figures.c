// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Computes the results of a row. See figures.h. */
#include "cxi/figures.h"

#include <math.h>

#define NS_PER_S 1e9

uint64_t cxi_packets(uint64_t size)
{
	return (size - 1) / CXI_MTU + 1;
}

static void figures_add(const struct cxi_account *account, double lists, double seconds, struct cxi_figures *figures)
{
	const double sends_per_s = seconds > 0 ? lists * account->list / seconds : 0;

	figures->bandwidth += sends_per_s * (double)account->size;
	figures->packets += sends_per_s * (double)cxi_packets(account->size);
}

static void figures_finish(const struct cxi_account *account, struct cxi_figures *figures)
{
	if (account->doubled) {
		figures->bandwidth *= 2;
		figures->packets *= 2;
	}
	if (!account->has_packets)
		figures->packets = NAN;
}

void cxi_figures_make(const struct cxi_account *account, const struct cxi_sent *own, const struct cxi_sent *peer,
		      struct cxi_figures *figures)
{
	figures->size = account->size;
	figures->sends = own->finished * account->list;
	figures->seconds = (double)(own->elapsed_ns ? own->elapsed_ns : peer->elapsed_ns) / NS_PER_S;
	figures->bandwidth = figures->packets = 0;
	figures_add(account, (double)own->finished, (double)own->elapsed_ns / NS_PER_S, figures);
	figures_add(account, (double)peer->finished, (double)peer->elapsed_ns / NS_PER_S, figures);
	figures_finish(account, figures);
}

void cxi_figures_seen(const struct cxi_account *account, uint64_t lists, double seconds, struct cxi_figures *figures)
{
	figures->size = account->size;
	figures->seconds = seconds;
	figures->bandwidth = figures->packets = 0;
	figures_add(account, (double)lists, seconds, figures);
	figures_finish(account, figures);
}
