// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See figure.h. */
#include "front/figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/metrics.h"

#define MOST_MTU     4096  /* of InfiniBand */
#define LEAST_FIGURE 1e-15 /* in SI units: what no run has measured would give changes that are no numbers */
#define MOST_FIGURE  1e18
#define FEWEST_AGAIN 3 /* fewer may be a probe of TCP's, or a segment that overtook another */

#define IN_GIGABITS .to_si = 1, .to_shown = 8e-9, .unit = "Gb/s"
#define IN_MILLIONS .to_si = 1, .to_shown = 1e-6, .unit = "M/s"
#define IN_USEC	    .lower_is_best = true, .to_shown = 1e6, .unit = "usec"

/* Of those that a measurement has, the first one counts for `perftest matrix`. */
const struct figure_kind figure_kinds[] = {
	{"bandwidth_average_bytes_per_second", "bandwidth", IN_GIGABITS}, /* ib_* */
	{"receive_bandwidth_bytes_per_second", "received", IN_GIGABITS},  /* qperf */
	{"send_bandwidth_bytes_per_second", "sent", IN_GIGABITS},
	{"bandwidth_bytes_per_second", "bandwidth", IN_GIGABITS},	     /* cxi_send_bw */
	{"latency_typical_usec", "latency, median", IN_USEC, .to_si = 1e-6}, /* ib_* */
	{"latency_average_usec", "latency, average", IN_USEC, .to_si = 1e-6, .is_spare = true},
	{"latency_usec", "latency", IN_USEC, .to_si = 1e-6}, /* qperf */
	{"message_rate_per_second", "message rate", IN_MILLIONS, .is_spare = true},
	{"due_typical_usec", "since due, median", IN_USEC, .to_si = 1e-6}, /* ib_* --rate */
	{"post_typical_usec", "since post, median", IN_USEC, .to_si = 1e-6},
	{"latency_usec", "latency, 99 %", IN_USEC, .to_si = 1e-6, .in = "percentiles", .percent = 99},
	{"due_usec", "since due, 99 %", IN_USEC, .to_si = 1e-6, .in = "percentiles", .percent = 99},
	{"p50_usec", "latency, median", IN_USEC, .to_si = 1e-6, .in = "latency_distribution"}, /* qperf */
	{"p99_usec", "latency, 99 %", IN_USEC, .to_si = 1e-6, .in = "latency_distribution"},
	{"connections_per_second", "connections", .to_si = 1, .to_shown = 1, .unit = "/s"}, /* cmtime */
};

const uint8_t figure_num_kinds = sizeof(figure_kinds) / sizeof(figure_kinds[0]);

static bool has_text(const json_t *measurement, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(measurement, key));

	return value && strcmp(value, text) == 0;
}

/* whole: the part that is not one of several. */
static bool is_result(const json_t *measurement, const char *whole)
{
	return has_text(measurement, "kind", "result") &&
	       (!json_is_string(json_object_get(measurement, "part")) || has_text(measurement, "part", whole));
}

static json_t *row_find(const json_t *document, unsigned n, bool joins_runs)
{
	const json_t *all = json_object_get(document, "measurements");
	const char *whole = "local"; /* of an instance of cmtime that is not the controller */

	for (size_t i = 0; i < json_array_size(all); i++)
		if (has_text(json_array_get(all, i), "part", "total"))
			whole = "total";
	for (size_t i = 0; i < json_array_size(all); i++) {
		json_t *row = json_array_get(all, i);

		if (joins_runs && is_result(row, whole) && metrics_spread_has(all, i))
			continue;
		if ((is_result(row, whole) || (joins_runs && has_text(row, "kind", "spread"))) && !n--)
			return row;
	}
	return NULL;
}

json_t *figure_result(const json_t *document, unsigned n)
{
	return row_find(document, n, false);
}

json_t *figure_row(const json_t *document, unsigned n)
{
	return row_find(document, n, true);
}

json_t *figure_main(const json_t *document)
{
	json_t *found = NULL;

	for (unsigned i = 0; figure_result(document, i); i++)
		found = figure_result(document, i);
	return json_object_get(found, "step") ? figure_result(document, 0) : found;
}

const char *figure_fault(const json_t *document)
{
	for (unsigned i = 0; figure_result(document, i); i++)
		if (json_is_true(json_object_get(figure_result(document, i), "partial")))
			return "the test was cut short";
	return figure_result(document, 0) ? NULL : "the test has no result";
}

double figure_read(const json_t *measurement, const struct figure_kind *kind)
{
	const json_t *member = kind->in ? json_object_get(measurement, kind->in) : measurement, *in = member;
	double read;

	for (size_t i = 0; i < json_array_size(member); i++)
		if (fabs(json_number_value(json_object_get(json_array_get(member, i), "percent")) - kind->percent) <
		    1e-9)
			in = json_array_get(member, i);
	read = json_number_value(json_object_get(in, kind->key)) * kind->to_si;
	return read >= LEAST_FIGURE && read <= MOST_FIGURE ? read : NAN;
}

double figure_elapsed(const json_t *document)
{
	const json_t *found = figure_main(document), *local = json_object_get(found, "local"); /* qperf */

	return json_number_value(json_object_get(local ? local : found, "elapsed_seconds"));
}

const double figure_tails[FIGURE_TAILS] = {99, 99.9};

double figure_tail(const json_t *measurement, unsigned tail)
{
	const struct figure_kind kinds[] = {
		{"due_usec", .to_si = 1e-6, .in = "percentiles", .percent = figure_tails[tail]},
		{"latency_usec", .to_si = 1e-6, .in = "percentiles", .percent = figure_tails[tail]},
		{tail ? "p99.9_usec" : "p99_usec", .to_si = 1e-6, .in = "latency_distribution"},
	};
	double read = NAN;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && isnan(read); i++)
		read = figure_read(measurement, &kinds[i]);
	return isnan(read) ? 0 : read;
}

static const char *const sides[] = {"local", "remote"};

/* The sum of both sides, which only the sender of what was lost has; NaN: neither knows. */
static double facts_add(const json_t *explanation, const char *key)
{
	double sum = NAN;

	for (unsigned i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		const json_t *value = json_object_get(json_object_get(explanation, sides[i]), key);

		if (json_is_number(value))
			sum = (isnan(sum) ? 0 : sum) + json_number_value(value);
	}
	return sum;
}

/* Of all sizes, in packets of the path MTU. A READ, which both sides take part in, counts once. */
static double packets_count(const json_t *document)
{
	const double known = json_number_value(json_object_get(json_object_get(document, "device"), "mtu_bytes"));
	const double mtu = known > 0 ? known : MOST_MTU;
	double count = 0;

	for (unsigned i = 0; figure_result(document, i); i++) {
		const json_t *result = figure_result(document, i);
		double most = json_number_value(json_object_get(result, "iterations")); /* ib_* */
		double bytes = most * json_number_value(json_object_get(result, "size_bytes"));

		for (unsigned j = 0; j < sizeof(sides) / sizeof(sides[0]); j++) {
			const json_t *side = json_object_get(result, sides[j]); /* qperf */

			most = fmax(most, json_number_value(json_object_get(side, "sent_messages")));
			most = fmax(most, json_number_value(json_object_get(side, "received_messages")));
			bytes = fmax(bytes, json_number_value(json_object_get(side, "sent_bytes")));
			bytes = fmax(bytes, json_number_value(json_object_get(side, "received_bytes")));
		}
		count += fmax(most, bytes / mtu);
	}
	return count;
}

double figure_sendings(const json_t *document)
{
	const json_t *of_result = json_object_get(figure_main(document), "explanation"), /* qperf */
		*explanation = of_result ? of_result : json_object_get(document, "explanation");
	double again = facts_add(explanation, "connection_retransmitted_segments");
	double parts = facts_add(explanation, "connection_sent_segments") - again;

	if (isnan(again)) {
		again = facts_add(explanation, "device_retransmissions");
		parts = packets_count(document);
	}
	if (!(again >= 0) || !(parts > 0))
		return 0;
	return again < FEWEST_AGAIN ? 1 : 1 + again / parts;
}

int figure_find(const json_t *document, uint8_t *kind, double *value, const char **reason)
{
	const json_t *all = json_object_get(document, "measurements");
	const json_t *last = json_array_get(all, json_array_size(all) - 1), *judged;

	*reason = figure_fault(document);
	if (*reason)
		return -ENODATA;
	/* Of several runs of qperf their mean counts. */
	judged = has_text(last, "kind", "spread") ? last : figure_main(document);
	for (uint8_t i = 0; i < figure_num_kinds; i++) {
		const double read = figure_read(judged, &figure_kinds[i]);

		if (isnan(read))
			continue;
		*kind = i;
		*value = read;
		return 0;
	}
	*reason = "the test's result has neither a bandwidth nor a latency";
	return -ENODATA;
}

const char *figure_change(double percent, int decimals, char text[FIGURE_CHANGE_SIZE])
{
	const double unit = pow(10, decimals);

	snprintf(text, FIGURE_CHANGE_SIZE, "%+.*f", decimals, round(percent * unit) / unit + 0.0 /* not -0 */);
	return text;
}
