// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Do the text, CSV and JSON of a row agree, whatever its figures are? */
#include <math.h>

#include <jansson.h>

#include "random_numbers.h"
#include "report/provenance.h"
#include "report_rig.h"

#define NUM_RANDOM_ROWS 200

/* --- the three formats say the same --- */

/* Spread over many magnitudes. */
static double random_figure(double smallest, double decades)
{
	return smallest * pow(10, decades * random_uniform());
}

static char *output_of(const struct report_row *row, enum output_format format)
{
	struct capture capture = capture_begin(STDOUT_FILENO, NULL);
	struct report *report;

	config.format = format;
	report = open_report();
	report_heading(report);
	add(report, row, REPORT_TOTAL);
	assert_int_equal(report_close(report, "complete", NULL), 0);
	report_free(report);
	return capture_end(&capture);
}

/* The n-th line of a text, cut out in place; n counts from 0. */
static char *line_at(char *text, int n)
{
	char *rest = text;
	char *line = NULL;

	while (n-- >= 0) {
		line = strsep(&rest, "\n");
		assert_non_null(line);
	}
	return line;
}

/* The n-th word of a line parted by blanks and tabs, as scripts cut it. */
static const char *word_at(const char *line, int n, char *word, size_t size)
{
	line += strspn(line, " \t");
	while (n-- > 0) {
		line += strcspn(line, " \t");
		line += strspn(line, " \t");
	}
	snprintf(word, size, "%.*s", (int)strcspn(line, " \t"), line);
	return word;
}

/* The field of a CSV line under a key. */
static double csv_field(const char *keys, const char *fields, const char *key)
{
	for (;;) {
		size_t key_length = strcspn(keys, ",");
		size_t field_length = strcspn(fields, ",");

		if (strlen(key) == key_length && !strncmp(keys, key, key_length))
			return field_length ? strtod(fields, NULL) : NAN;
		assert_true(keys[key_length] && fields[field_length]);
		keys += key_length + 1;
		fields += field_length + 1;
	}
}

struct expectation {
	const char *key; /* in JSON and CSV */
	double scale;	 /* from there to the text */
	int decimals;
};

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-13 * fabs(b) || (isnan(a) && isnan(b));
}

static void expect_agreement(const struct report_row *row, const struct expectation *expected, int count)
{
	char *text = output_of(row, FORMAT_TEXT);
	char *csv = output_of(row, FORMAT_CSV);
	char *document = output_of(row, FORMAT_JSON);
	json_t *root = json_loads(document, JSON_REJECT_DUPLICATES, NULL);
	json_t *measurement = json_array_get(json_object_get(root, "measurements"), 0);
	char *line = line_at(text, 2);
	char *keys = strdup(line_at(csv, 0));
	const char *fields = csv + strlen(csv) + 1;
	char word[64], from_json[64];
	double value;
	int i;

	assert_non_null(measurement);
	line_at((char *)fields, 0);
	for (i = 0; i < count; i++) {
		value = json_number_value(json_object_get(measurement, expected[i].key));
		assert_true(json_is_number(json_object_get(measurement, expected[i].key)));
		assert_true(is_near(csv_field(keys, fields, expected[i].key), value));
		word_at(line, i, word, sizeof(word));
		snprintf(from_json, sizeof(from_json), "%.*f", expected[i].decimals, value * expected[i].scale);
		/* The figure may lie on the edge between two roundings. */
		if (strcmp(word, from_json))
			assert_true(fabs(strtod(word, NULL) - value * expected[i].scale) <=
				    0.5000001 * pow(10, -expected[i].decimals));
	}
	json_decref(root);
	free(keys);
	free(text);
	free(csv);
	free(document);
}

static void agree_bw(double unit, bool fine)
{
	const struct expectation expected[] = {
		{"size_bytes", 1, 0},
		{"iterations", 1, 0},
		{"bandwidth_peak_bytes_per_second", 1 / unit, fine ? 6 : 2},
		{"bandwidth_average_bytes_per_second", 1 / unit, fine ? 6 : 2},
		{"message_rate_per_second", 1e-6, 6},
	};
	struct report_row row = {.cpu_percent = NAN};
	int i;

	for (i = 0; i < NUM_RANDOM_ROWS; i++) {
		row.size = random_u64() >> (33 + random_u64() % 31) | 1;
		row.iterations = random_u64() >> (16 + random_u64() % 48);
		row.seconds = random_figure(1e-5, 8);
		row.bw_average = fine ? random_figure(1, 7) : random_figure(2e7, 5);
		row.bw_peak = row.bw_average * (1 + random_figure(1e-3, 3));
		row.message_rate = random_figure(0.1, 9);
		expect_agreement(&row, expected, 5);
	}
}

TEST(test_agree_bw, setup, teardown)
{
	agree_bw(1048576, false);
	config.gbits = true;
	agree_bw(125e6, false);
	agree_bw(125e6, true);
}

static void agree_lat(const char *suffix)
{
	static const char *const names[] = {"min", "max", "typical", "average", "stdev"};
	struct expectation expected[7] = {{"size_bytes", 1, 0}, {"iterations", 1, 0}};
	char keys[5][64];
	struct report_row row;
	int i, n;

	for (i = 0; i < 5; i++) {
		snprintf(keys[i], sizeof(keys[i]), "latency_%s_%s", names[i], suffix);
		expected[i + 2] = (struct expectation){keys[i], 1, 2};
	}
	for (i = 0; i < NUM_RANDOM_ROWS; i++) {
		double decades = random_figure(0.1, 1);

		latency_reset(&latency);
		for (n = (int)(random_u64() % 300) + 1; n; n--)
			latency_record(&latency, (uint64_t)random_figure(500, decades));
		row = fixture_row_lat(&latency);
		row.size = random_u64() >> 40 | 1;
		latency.tick_seconds = random_u64() & 1 ? 1e-9 : 0.5e-9;
		expect_agreement(&row, expected, 7);
	}
}

TEST(test_agree_lat, setup_lat, teardown)
{
	agree_lat("usec");
	config.cycles = true;
	agree_lat("cycles");
}

/* The JSON list has the percentiles of the columns, 99 once though it is asked for again. */
TEST(test_agree_percentiles, setup_lat, teardown)
{
	struct report_row row = fixture_row_lat(&latency);
	static const double percents[] = {99, 99.9, 50, 99.99};
	char *document;
	json_t *root, *list, *entry;
	size_t i;

	config.num_percentiles = 3;
	config.percentiles[0] = 50;
	config.percentiles[1] = 99;
	config.percentiles[2] = 99.99;
	document = output_of(&row, FORMAT_JSON);
	root = json_loads(document, 0, NULL);
	list = json_object_get(json_array_get(json_object_get(root, "measurements"), 0), "percentiles");
	assert_int_equal(json_array_size(list), 4);
	for (i = 0; i < 4; i++) {
		bool supported = histogram_supports(latency.histogram.count, percents[i]);

		entry = json_array_get(list, i);
		assert_true(json_real_value(json_object_get(entry, "percent")) == percents[i]);
		assert_true(json_is_boolean(json_object_get(entry, "supported")));
		assert_int_equal(json_is_true(json_object_get(entry, "supported")), supported);
		if (supported)
			assert_true(is_near(json_real_value(json_object_get(entry, "latency_usec")),
					    latency_percentile(&latency, percents[i]) * 1e6));
		else
			assert_true(json_is_null(json_object_get(entry, "latency_usec")));
	}
	json_decref(root);
	free(document);
}

/* --- what the peer reports of itself --- */

/* Of a text, the member "device" of what is used of it, or that of "build". expected NULL: that is null. */
static void expect_used(const char *text, const char *member, const char *key, const char *expected)
{
	json_t *used = provenance_peer(text, NULL, "tern", NULL);
	char *dump = json_dumps(json_object_get(json_object_get(used, member), key), JSON_ENCODE_ANY);

	assert_int_equal(json_object_size(used), 6);
	if (expected)
		assert_string_equal(dump, expected);
	else
		assert_true(json_is_null(json_object_get(used, member)));
	free(dump);
	json_decref(used);
}

TEST(of_a_peer_only_known_members_with_scalars_are_used)
{
	const struct device_identity known = {.name = "mlx5_0", .numa_node = 1, .memory = "CUDA"}, none = {.name = ""};
	char deep[2048] = "", own[2048], small[64];

	memset(deep, '[', sizeof(deep) - 1);
	expect_used("{\"device\":{\"name\":\"mlx5_0\",\"more\":1}}", "device", "name", "\"mlx5_0\"");
	expect_used("{\"device\":{\"name\":{\"a\":1}}}", "device", "name", "null");
	expect_used("{\"device\":{\"name\":[1]}}", "device", "name", "null");
	expect_used("{\"device\":{\"memory\":7}}", "device", "memory", "{\"kind\": null}");
	expect_used("{\"device\":7,\"build\":{\"optimized\":true}}", "build", "optimized", "true");
	expect_used("{\"build\":{\"optimized\":true}", "build", "optimized", "null"); /* cut short */
	expect_used("{\"device\":{\"link_width_lanes\":1e999}}", "device", "link_width_lanes", "null");
	expect_used(deep, "device", "name", "null");
	expect_used("", "device", "name", "null");
	expect_used(NULL, "device", "name", "null");
	provenance_write(&known, own, sizeof(own));
	expect_used(own, "device", "software", "false");
	provenance_write(&none, own, sizeof(own));
	expect_used(own, "device", "name", NULL);
	provenance_write(&known, small, sizeof(small));
	assert_string_equal(small, "");
}

TEST_MAIN(NULL, NULL)
