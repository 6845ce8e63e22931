// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Converts Gb/s to static rates of verbs. Called by ability.c and qp_connect.c. */
#include "verbs/connect/static_rate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static const struct {
	double gbits;
	enum ibv_rate rate;
} rates[] = {
	{2.5, IBV_RATE_2_5_GBPS}, {5, IBV_RATE_5_GBPS},	    {10, IBV_RATE_10_GBPS},    {14, IBV_RATE_14_GBPS},
	{20, IBV_RATE_20_GBPS},	  {25, IBV_RATE_25_GBPS},   {28, IBV_RATE_28_GBPS},    {30, IBV_RATE_30_GBPS},
	{40, IBV_RATE_40_GBPS},	  {50, IBV_RATE_50_GBPS},   {56, IBV_RATE_56_GBPS},    {60, IBV_RATE_60_GBPS},
	{80, IBV_RATE_80_GBPS},	  {100, IBV_RATE_100_GBPS}, {112, IBV_RATE_112_GBPS},  {120, IBV_RATE_120_GBPS},
	{168, IBV_RATE_168_GBPS}, {200, IBV_RATE_200_GBPS}, {300, IBV_RATE_300_GBPS},  {400, IBV_RATE_400_GBPS},
	{600, IBV_RATE_600_GBPS}, {800, (enum ibv_rate)23}, {1200, (enum ibv_rate)24}, /* XDR: missing in older headers
											*/
};

#define NUM_RATES (sizeof(rates) / sizeof(rates[0]))

int static_rate_from_gbits(double gbits, enum ibv_rate *rate)
{
	for (size_t i = 0; i < NUM_RATES; i++) {
		if (fabs(rates[i].gbits - gbits) < 1e-6 * gbits) {
			*rate = rates[i].rate;
			return 0;
		}
	}
	return -ENOENT;
}

double static_rate_gbits(enum ibv_rate rate)
{
	for (size_t i = 0; i < NUM_RATES; i++)
		if (rates[i].rate == rate)
			return rates[i].gbits;
	return 0;
}

const char *static_rate_list(char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < NUM_RATES && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%g", i ? ", " : "", rates[i].gbits);
	return text;
}
