// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "verbs/device/port_speed.h"

#include <dlfcn.h>
#include <stdint.h>

#define UNIT_GBITS 0.1
#define MOST_UNITS 1000000 /* 100 Tb/s; more is no speed */

double port_speed_gbits(struct ibv_context *context, unsigned port)
{
	/* The headers of older versions do not declare it. */
	int (*query)(struct ibv_context * context, uint32_t port, uint64_t * speed) =
		(int (*)(struct ibv_context *, uint32_t, uint64_t *))dlsym(RTLD_DEFAULT, "ibv_query_port_speed");
	uint64_t units = 0;

	if (!query || query(context, port, &units) || units > MOST_UNITS)
		return 0;
	return (double)units * UNIT_GBITS;
}
