// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See figure.h. */
#include "front/figure.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define TO_GIGABITS 8e-9
#define TO_MILLION  1e-6
#define TO_USEC	    1e6

/* Of those that a measurement has, the first one counts. */
const struct figure_kind figure_kinds[] = {
	{"bandwidth_average_bytes_per_second", false, 1, TO_GIGABITS, "Gb/s"}, /* ib_* */
	{"receive_bandwidth_bytes_per_second", false, 1, TO_GIGABITS, "Gb/s"}, /* qperf */
	{"send_bandwidth_bytes_per_second", false, 1, TO_GIGABITS, "Gb/s"},
	{"bandwidth_bytes_per_second", false, 1, TO_GIGABITS, "Gb/s"}, /* cxi_send_bw */
	{"latency_typical_usec", true, 1e-6, TO_USEC, "usec"},	       /* ib_* */
	{"latency_average_usec", true, 1e-6, TO_USEC, "usec"},
	{"latency_seconds", true, 1, TO_USEC, "usec"}, /* qperf */
	{"message_rate_per_second", false, 1, TO_MILLION, "M/s"},
};

const uint8_t figure_num_kinds = sizeof(figure_kinds) / sizeof(figure_kinds[0]);

static bool is_result(const json_t *measurement)
{
	const char *kind = json_string_value(json_object_get(measurement, "kind"));
	const char *part = json_string_value(json_object_get(measurement, "part"));

	return kind && strcmp(kind, "result") == 0 && (!part || strcmp(part, "total") == 0);
}

int figure_find(const json_t *document, uint8_t *kind, double *value, json_t **measurement, const char **reason)
{
	const json_t *all = json_object_get(document, "measurements");
	json_t *found = NULL;

	for (size_t i = 0; i < json_array_size(all); i++)
		if (is_result(json_array_get(all, i)))
			found = json_array_get(all, i);
	if (!found) {
		*reason = "the test has no result";
		return -ENODATA;
	}
	if (json_is_true(json_object_get(found, "partial"))) {
		*reason = "the test was cut short";
		return -ENODATA;
	}
	for (uint8_t i = 0; i < figure_num_kinds; i++) {
		const double read = json_number_value(json_object_get(found, figure_kinds[i].key));

		if (!isfinite(read) || read <= 0)
			continue;
		*kind = i;
		*value = read * figure_kinds[i].to_si;
		*measurement = found;
		return 0;
	}
	*reason = "the test's result has neither a bandwidth nor a latency";
	return -ENODATA;
}
