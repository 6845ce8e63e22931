// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which results are those of runs? See spread.h. */
#include "report/spread.h"

#include <string.h>

static bool is_kind(const json_t *row, const char *kind)
{
	const char *value = json_string_value(json_object_get(row, "kind"));

	return value && strcmp(value, kind) == 0;
}

bool spread_has(const json_t *measurements, size_t at)
{
	const json_t *spread;
	json_int_t results = 0;

	if (!is_kind(json_array_get(measurements, at), "result"))
		return false;
	for (; at < json_array_size(measurements) && !is_kind(json_array_get(measurements, at), "spread"); at++)
		results += is_kind(json_array_get(measurements, at), "result");
	spread = json_array_get(measurements, at);
	return results <= json_integer_value(json_object_get(spread, "repeats")) +
				  json_integer_value(json_object_get(spread, "repeats_left_out"));
}
