// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See sizes.h. */
#include "params/engine/sizes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/units.h"

#define LARGEST (1ULL << 31) /* the longest RDMA message */

int sizes_parse(const char *text, struct sweep *sweep)
{
	struct sweep read;
	char fields[2][32];
	int length = 0;

	if (sscanf(text, "%31[^:]:%31[^:]:%n", fields[0], fields[1], &length) != 2 || !length)
		return -EINVAL;
	text += length;
	read.multiplies = *text == '*';
	if (units_parse_size(fields[0], 1, LARGEST, &read.first) ||
	    units_parse_size(fields[1], read.first, LARGEST, &read.last) ||
	    units_parse_size(text + read.multiplies, 1 + read.multiplies, LARGEST, &read.step) ||
	    sweep_count(&read, read.last) > SWEEP_MOST_SIZES)
		return -EINVAL;
	*sweep = read;
	return 0;
}

const char *check_sizes(const char *text)
{
	struct sweep sweep;

	return strcmp(text, "off") && sizes_parse(text, &sweep)
		       ? "is not FIRST:LAST:STEP with at most 1000 sizes up to 2G, such as 4K:1M:*4"
		       : NULL;
}
