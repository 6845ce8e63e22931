// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See allowance.h. */
#include "util/allowance.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define SET_UP_S  10   /* for what comes before and after the measurement */
#define SERVING_S 3600 /* for a server that keeps serving, unless it is told otherwise */

uint32_t allowance_s(uint32_t max_duration_s, bool is_given, bool keeps_serving)
{
	return keeps_serving && !is_given ? SERVING_S : max_duration_s;
}

int allowance_check(uint32_t allowed_s, uint64_t lasts_s, char *reason, size_t reason_size)
{
	if (!allowed_s || lasts_s <= allowed_s)
		return 0;
	if (lasts_s == ALLOWANCE_ENDLESS)
		snprintf(reason, reason_size,
			 "the test is endless, but the server allows %" PRIu32 " s (--max_duration)", allowed_s);
	else
		snprintf(reason, reason_size,
			 "the test takes %" PRIu64 " s, but the server allows %" PRIu32 " s (--max_duration)", lasts_s,
			 allowed_s);
	return -EPERM;
}

struct deadline allowance_end(uint32_t allowed_s)
{
	return allowed_s ? deadline_in_ms(((int64_t)allowed_s + SET_UP_S) * 1000) : (struct deadline){0};
}
