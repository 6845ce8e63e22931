// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the JSON file valid by its schema in every mode, complete, and written completely or not at all? */
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <jansson.h>

#include "command_line.h"
#include "params/options.h"
#include "report/envelope.h"
#include "report/output_file.h"
#include "report_fixture.h"
#include "util/log.h"

#ifndef TOP_SRCDIR
#define TOP_SRCDIR "." /* where no makefile says it: run in the tree */
#endif

#define VALIDATOR    TOP_SRCDIR "/tests/validate_json"
#define SCHEMA	     TOP_SRCDIR "/docs/schema.json"
#define NO_VALIDATOR 77

static struct params params; /* the options that the document repeats */
static struct report_config config;
static struct latency latency;
static char folder[64];

static int open_folder(void **state)
{
	config.is_client = true;
	config.options = &params_options;
	config.programs = program_bit(params.program);
	config.values = &params;
	strcpy(folder, "/tmp/test_document.XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(config.json_path, sizeof(config.json_path), "%s/run.json", folder);
	return fixture_clock(state);
}

static int setup(void **state)
{
	command_line_is_accepted("ib_write_bw -s 64K server", &params);
	config = fixture_config("ib_write_bw", VERB_WRITE, METRIC_BW);
	return open_folder(state);
}

static int setup_lat(void **state)
{
	command_line_is_accepted("ib_write_lat -s 64K server", &params);
	config = fixture_config("ib_write_lat", VERB_WRITE, METRIC_LAT);
	fixture_latency(&latency);
	return open_folder(state);
}

static int teardown(void **state)
{
	char command[128];

	latency_close(&latency);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

/* In place of libc's. A temporary file is locked until it has its last name: otherwise another run may remove it. */
int rename(const char *from, const char *to)
{
	const size_t length = strlen(from);
	int fd;

	if (length > 4 && strcmp(from + length - 4, ".tmp") == 0) {
		fd = open(from, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
		close(fd);
	}
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static int num_files(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

/* where: "" or a redirection of its words. */
static int validate(const char *path, const char *where)
{
	char command[512];
	int status;

	snprintf(command, sizeof(command), VALIDATOR " " SCHEMA " %s %s", path, where);
	status = system(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void expect_valid(const char *path)
{
	int status = validate(path, "");

	if (status == NO_VALIDATOR)
		skip();
	assert_int_equal(status, 0);
}

static json_t *load(const char *path)
{
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		print_error("%s:%d: %s\n", path, error.line, error.text);
	assert_non_null(root);
	return root;
}

static const char *text_at(const json_t *root, const char *member, const char *key)
{
	return json_string_value(json_object_get(json_object_get(root, member), key));
}

static struct report *open_report(void)
{
	struct report *report;

	assert_int_equal(report_open(&report, &config), 0);
	return report;
}

/* A run of rows with an interval before each, its text thrown away. */
static void run(const struct report_row *rows, int count, const char *status, const char *reason)
{
	struct capture capture = capture_begin(STDOUT_FILENO, NULL);
	struct report_info run_info = fixture_info();
	struct report *report = open_report();
	struct report_row interval;
	int i;

	assert_int_equal(report_header(report, &run_info), 0);
	report_heading(report);
	for (i = 0; i < count; i++) {
		interval = rows[i];
		interval.is_interval = true;
		interval.interval_begin_s = i / 4.0;
		assert_int_equal(report_result(report, &interval, REPORT_TOTAL), 0);
		assert_int_equal(report_result(report, &rows[i], REPORT_TOTAL), 0);
	}
	assert_int_equal(report_close(report, status, reason), 0);
	report_free(report);
	free(capture_end(&capture));
}

/* --- what is in it --- */

TEST(test_sweep, setup, teardown)
{
	struct report_row rows[2] = {fixture_row_bw(), fixture_row_bw()};
	json_t *root, *measurements, *last, *parameters, *value;
	const char *key;

	rows[1].size = 131072;
	rows[1].partial = true;
	rows[1].lost = 7;
	rows[1].bw_peak = 0;
	run(rows, 2, "interrupted", "stopped by its user");
	assert_int_equal(num_files(), 1);

	root = load(config.json_path);
	assert_int_equal(json_integer_value(json_object_get(root, "schema_version")), 3);
	assert_string_equal(text_at(root, "tool", "name"), "ib_write_bw");
	assert_string_equal(json_string_value(json_object_get(root, "role")), "client");
	assert_string_equal(text_at(root, "device", "name"), "mlx5_0");
	assert_string_equal(text_at(root, "device", "driver"), "mlx5_core");
	assert_string_equal(text_at(root, "device", "firmware_version"), "20.43.2026");
	assert_string_equal(text_at(root, "device", "pci_address"), "0000:3b:00.0");
	value = json_object_get(root, "device");
	assert_true(json_number_value(json_object_get(value, "link_rate_gigabits_per_second")) == 200);
	assert_int_equal(json_integer_value(json_object_get(value, "link_width_lanes")), 4);
	assert_true(json_number_value(json_object_get(value, "pcie_rate_gigatransfers_per_second")) == 16);
	assert_true(json_is_null(json_object_get(value, "pcie_width_lanes")));
	assert_string_equal(text_at(root, "peer", "host"), "tern");
	assert_string_equal(text_at(root, "test_info", "test"), "RDMA_Write_BW_Test");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "test_info"), "Mtu")), 4096);
	parameters = json_object_get(root, "parameters");
	assert_int_equal(json_integer_value(json_object_get(parameters, "size")), 65536);
	assert_true(json_is_false(json_object_get(parameters, "bidirectional")));
	assert_true(json_is_null(json_object_get(parameters, "duration")));
	assert_true(json_is_false(json_object_get(parameters, "no_peak")));
	assert_string_equal(text_at(root, "parameters", "connection"), "RC");
	json_object_foreach(parameters, key, value)
	{
		assert_int_equal(strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(key));
	}
	assert_string_equal(text_at(root, "clock", "source"), "clock_gettime");
	assert_string_equal(json_string_value(json_object_get(root, "status")), "interrupted");
	assert_string_equal(json_string_value(json_object_get(root, "reason")), "stopped by its user");

	measurements = json_object_get(root, "measurements");
	assert_int_equal(json_array_size(measurements), 4);
	last = json_array_get(measurements, 2);
	assert_string_equal(json_string_value(json_object_get(last, "kind")), "interval");
	assert_true(json_real_value(json_object_get(last, "interval_begin_seconds")) == 0.25);
	last = json_array_get(measurements, 3);
	assert_string_equal(json_string_value(json_object_get(last, "kind")), "result");
	assert_true(json_is_true(json_object_get(last, "partial")));
	assert_true(json_is_null(json_object_get(last, "bandwidth_peak_bytes_per_second")));
	assert_int_equal(json_integer_value(json_object_get(last, "lost")), 7);
	assert_int_equal(json_integer_value(json_object_get(last, "size_bytes")), 131072);

	/* The classic object has the last row, in the units of the text. */
	last = json_object_get(root, "results");
	assert_int_equal(json_integer_value(json_object_get(last, "MsgSize")), 131072);
	assert_int_equal(json_integer_value(json_object_get(last, "n_iterations")), 5000);
	assert_true(json_real_value(json_object_get(last, "BW_average")) == 11083.72);
	assert_true(json_real_value(json_object_get(last, "MsgRate")) == 0.17734);
	json_decref(root);
	expect_valid(config.json_path);
}

TEST(test_latency, setup_lat, teardown)
{
	struct report_row row = fixture_row_lat(&latency);
	json_t *root, *results;

	config.num_percentiles = 2;
	config.percentiles[0] = 50;
	config.percentiles[1] = 99.9999;
	config.cpu_util = true;
	row.cpu_percent = 12.5;
	run(&row, 1, "complete", NULL);
	root = load(config.json_path);
	assert_true(json_is_null(json_object_get(root, "reason")));
	results = json_object_get(root, "results");
	assert_true(json_real_value(json_object_get(results, "t_min")) == 1);
	assert_true(json_real_value(json_object_get(results, "percentile_99.9")) == 2.85575);
	assert_true(json_real_value(json_object_get(results, "tps_average")) == 250000);
	assert_true(json_real_value(json_object_get(results, "CPU_util")) == 12.5);
	json_decref(root);
	expect_valid(config.json_path);
}

TEST(test_latency_cycles_and_samples, setup_lat, teardown)
{
	struct report_row row;
	json_t *root, *last, *samples;

	latency_close(&latency);
	assert_int_equal(latency_open(&latency, 3), 0);
	latency.tick_seconds = FIXTURE_TICK_S;
	latency_record(&latency, 6000);
	latency_record(&latency, 2000);
	latency_record(&latency, 4001);
	row = fixture_row_lat(&latency);
	config.cycles = true;
	config.histogram = true;
	run(&row, 1, "complete", "");
	root = load(config.json_path);
	assert_true(json_is_null(json_object_get(root, "reason")));
	last = json_array_get(json_object_get(root, "measurements"), 1);
	assert_true(json_real_value(json_object_get(last, "latency_max_usec")) == 3);
	assert_true(json_real_value(json_object_get(last, "latency_max_cycles")) == 3000);
	samples = json_object_get(last, "samples_cycles");
	assert_int_equal(json_array_size(samples), 3);
	assert_true(json_number_value(json_array_get(samples, 1)) == 2000.5);
	assert_true(json_number_value(json_array_get(samples, 2)) == 3000);
	/* Intervals have none. */
	assert_null(json_object_get(json_array_get(json_object_get(root, "measurements"), 0), "samples_cycles"));
	json_decref(root);
	expect_valid(config.json_path);
}

/* --output prints one number; the document stays whole, with the classic key of that number beside the others. */
TEST(test_only, setup, teardown)
{
	struct report_row row = fixture_row_bw();
	json_t *root;

	config.output = OUTPUT_BANDWIDTH;
	config.gbits = true;
	run(&row, 1, "complete", NULL);
	root = load(config.json_path);
	assert_true(json_real_value(json_object_get(json_object_get(root, "results"), "bw_avg")) > 92.97);
	json_decref(root);
	expect_valid(config.json_path);
}

TEST(test_no_samples, setup_lat, teardown)
{
	struct report_row row;
	json_t *root;

	fixture_reset(&latency);
	row = fixture_row_lat(&latency);
	row.partial = true;
	run(&row, 1, "failed", "the peer died");
	root = load(config.json_path);
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(root, "measurements"), 1), "latency_min_usec")));
	json_decref(root);
	expect_valid(config.json_path);
}

/* Classic perftest loses the sum of a bidirectional run to its last part. */
TEST(test_parts, setup, teardown)
{
	struct capture capture = capture_begin(STDOUT_FILENO, NULL);
	struct report_row row = fixture_row_bw();
	struct report *report = open_report();
	json_t *root;

	assert_int_equal(report_result(report, &row, REPORT_TOTAL), 0);
	row.bw_average /= 2;
	assert_int_equal(report_result(report, &row, REPORT_LOCAL), 0);
	assert_int_equal(report_result(report, &row, REPORT_REMOTE), 0);
	assert_int_equal(report_close(report, "complete", NULL), 0);
	report_free(report);
	free(capture_end(&capture));
	root = load(config.json_path);
	assert_int_equal(json_array_size(json_object_get(root, "measurements")), 3);
	assert_true(json_real_value(json_object_get(json_object_get(root, "results"), "BW_average")) == 11083.72);
	json_decref(root);
	expect_valid(config.json_path);
}

/* --data_validation: what was checked stands beside each row and, in sum, for the run. */
TEST(test_validation, setup, teardown)
{
	const struct report_validation passed = {.messages = 5000, .checked = 5000, .bytes = 327680000};
	const struct report_validation failed = {
		.messages = 5000, .checked = 4990, .lost = 10, .wrong = 2, .qp = 3, .message = 37, .offset = 4096};
	const struct report_validation *cases[] = {&passed, &failed, &(struct report_validation){0}};
	static const char *const verdicts[] = {"passed", "failed", "nothing checked"};
	struct report_row row = fixture_row_bw();

	verbs[METRIC_BW].data_validation = true;
	row.checked = 4990;
	row.wrong = 2;
	for (int i = 0; i < 3; i++) {
		struct capture capture = capture_begin(STDOUT_FILENO, NULL);
		struct report *report = open_report();
		json_t *root, *first;

		assert_int_equal(report_result(report, &row, REPORT_TOTAL), 0);
		report_validation(report, cases[i]);
		assert_int_equal(report_close(report, i == 1 ? "wrong data" : "complete",
					      i == 1 ? "2 of 5000 messages arrived wrong" : NULL),
				 0);
		report_free(report);
		free(capture_end(&capture));
		expect_valid(config.json_path);
		root = load(config.json_path);
		assert_string_equal(text_at(root, "validation", "verdict"), verdicts[i]);
		first = json_array_get(json_object_get(root, "measurements"), 0);
		assert_int_equal(json_integer_value(json_object_get(first, "checked")), 4990);
		assert_int_equal(json_integer_value(json_object_get(first, "wrong")), 2);
		first = json_object_get(json_object_get(root, "validation"), "first_wrong");
		assert_int_equal(json_is_null(first), i != 1);
		if (i == 1)
			assert_int_equal(json_integer_value(json_object_get(first, "offset_bytes")), 4096);
		json_decref(root);
	}
}

/* A run that ends before the device is there still leaves a document that says so. */
TEST(test_early_end, setup, teardown)
{
	struct report *report = open_report();
	json_t *root;

	assert_int_equal(report_close(report, "failed", "no answer from the server"), 0);
	report_free(report);
	root = load(config.json_path);
	assert_true(json_is_null(json_object_get(root, "device")));
	assert_true(json_is_null(json_object_get(root, "results")));
	assert_int_equal(json_array_size(json_object_get(root, "measurements")), 0);
	json_decref(root);
	expect_valid(config.json_path);
}

/* What comes from outside need not be UTF-8, and may hold what JSON must escape. */
TEST(test_foreign_text, setup, teardown)
{
	struct report_info run_info = fixture_info();
	struct capture capture = capture_begin(STDOUT_FILENO, NULL);
	struct report *report = open_report();
	json_t *root;

	run_info.peer_host = "t\xe9rn";
	run_info.peer_version = "\"7\"\n\\";
	log_warning("a warning with a \"quote\"");
	assert_int_equal(report_header(report, &run_info), 0);
	assert_int_equal(report_close(report, "failed", "r\xff"), 0);
	report_free(report);
	free(capture_end(&capture));
	root = load(config.json_path);
	assert_string_equal(text_at(root, "peer", "host"), "t?rn");
	assert_string_equal(text_at(root, "peer", "version"), "\"7\"\n\\");
	assert_string_equal(json_string_value(json_object_get(root, "reason")), "r?");
	assert_string_equal(json_string_value(json_array_get(json_object_get(root, "warnings"), 0)),
			    "a warning with a \"quote\"");
	json_decref(root);
	expect_valid(config.json_path);
}

/* stdout and the file at once: the same measurements in both. */
TEST(test_stdout_too, setup, teardown)
{
	struct report_row row = fixture_row_bw();
	struct capture capture;
	struct report *report;
	json_t *on_stdout, *in_file;
	char *text;

	config.format = FORMAT_JSON;
	capture = capture_begin(STDOUT_FILENO, NULL);
	report = open_report();
	report_heading(report);
	assert_int_equal(report_result(report, &row, REPORT_TOTAL), 0);
	assert_int_equal(report_close(report, "complete", NULL), 0);
	report_free(report);
	text = capture_end(&capture);
	on_stdout = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	in_file = load(config.json_path);
	assert_non_null(on_stdout);
	assert_true(json_equal(on_stdout, in_file));
	json_decref(on_stdout);
	json_decref(in_file);
	free(text);
}

/* --keep_serving: each client's document stays. */
TEST(test_numbered_files, setup, teardown)
{
	static const struct {
		const char *path;
		const char *numbered;
	} cases[] = {
		{"run.json", "run.3.json"}, {"run", "run.3"},
		{"a.b/run", "a.b/run.3"},   {"a.b/run.json", "a.b/run.3.json"},
		{".hidden", ".hidden.3"},   {"/dev/null", "/dev/null"},
		{"run.", "run.3."},
	};
	char numbered[32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(output_file_number(numbered, sizeof(numbered), cases[i].path, 3), 0);
		assert_string_equal(numbered, cases[i].numbered);
	}
	assert_int_equal(output_file_number(numbered, 9, "run.json", 3), -ENAMETOOLONG);
	assert_int_equal(output_file_number(numbered, 11, "run.json", 3), 0);
	config.json_path[0] = '\0';
	assert_int_equal(report_number_file(&config, 7), 0);
	assert_string_equal(config.json_path, "");
	snprintf(config.json_path, sizeof(config.json_path), "run.json");
	assert_int_equal(report_number_file(&config, 7), 0);
	assert_string_equal(config.json_path, "run.7.json");
	memset(config.json_path, 'x', sizeof(config.json_path) - 1);
	config.json_path[sizeof(config.json_path) - 1] = '\0';
	assert_int_equal(report_number_file(&config, 7), -ENAMETOOLONG);
}

TEST(test_parameters, setup, teardown)
{
	const struct opt_table *table = &params_options;
	const unsigned program = program_bit(params.program);
	unsigned expected = 0;
	json_t *object;

	for (unsigned i = 0; i < table->num_rows; i++)
		expected += table->rows[i].programs & program && table->rows[i].group != PARAMS_GROUP_GENERAL &&
			    !table->rows[i].repeats;
	object = parameters_json(table, program, &params);
	assert_int_equal(json_object_size(object), expected);
	assert_true(json_integer_value(json_object_get(object, "size")) == 65536);
	assert_null(json_object_get(object, "help"));
	assert_null(json_object_get(object, "atomic_type"));
	json_decref(object);
}

/* A schema that accepts anything would prove nothing. */
TEST(test_schema_refuses, setup, teardown)
{
	static const char *const needed[] = {"schema_version", "host", "clock", "measurements", "status"};
	struct report_row row = fixture_row_bw();
	json_t *root, *measurement, *taken;
	char path[128];
	size_t i;

	run(&row, 1, "complete", NULL);
	expect_valid(config.json_path);
	snprintf(path, sizeof(path), "%s/wrong.json", folder);
	root = load(config.json_path);
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		taken = json_incref(json_object_get(root, needed[i]));
		json_object_del(root, needed[i]);
		json_dump_file(root, path, 0);
		assert_int_equal(validate(path, "2>/dev/null"), 1);
		json_object_set_new(root, needed[i], taken);
	}
	measurement = json_array_get(json_object_get(root, "measurements"), 0);
	json_object_set_new(measurement, "bandwidth", json_real(1));
	json_dump_file(root, path, 0);
	assert_int_equal(validate(path, "2>/dev/null"), 1);
	json_object_del(measurement, "bandwidth");
	json_object_set_new(root, "metric", json_string("latency"));
	json_dump_file(root, path, 0);
	assert_int_equal(validate(path, "2>/dev/null"), 1);
	json_object_set_new(root, "metric", json_string("bandwidth"));
	json_dump_file(root, path, 0);
	assert_int_equal(validate(path, ""), 0);
	json_decref(root);
}

/* --run_infinitely: memory does not depend on how many intervals there were. */
TEST(test_memory, setup, teardown)
{
	struct capture capture = capture_begin(STDOUT_FILENO, NULL);
	struct report_row row = fixture_row_bw();
	struct report *report = open_report();
	size_t used = 0;
	int i;

	row.is_interval = true;
	for (i = 0; i < 5000; i++) {
		row.interval_begin_s = i;
		assert_int_equal(report_result(report, &row, REPORT_TOTAL), 0);
		if (i == 100)
			used = mallinfo2().uordblks;
	}
	assert_true(mallinfo2().uordblks < used + 4096);
	assert_int_equal(report_close(report, "complete", NULL), 0);
	report_free(report);
	free(capture_end(&capture));
	expect_valid(config.json_path);
}

/* --- whole or not at all --- */

static void write_old(void)
{
	FILE *file = fopen(config.json_path, "w");

	assert_non_null(file);
	fputs("{\"old\": true}", file);
	fclose(file);
}

static void expect_old(void)
{
	json_t *root = load(config.json_path);

	assert_true(json_is_true(json_object_get(root, "old")));
	json_decref(root);
	assert_int_equal(num_files(), 1);
}

/* What stood there stays until the document is whole, and for good when the run is given up. */
TEST(test_given_up, setup, teardown)
{
	struct report *report;

	report = open_report();
	assert_int_not_equal(access(config.json_path, F_OK), 0);
	report_free(report);
	assert_int_equal(num_files(), 0);
	write_old();
	report = open_report();
	report_free(report);
	expect_old();
}

static void expect_running(const char *path, size_t rows)
{
	json_t *root;

	expect_valid(path);
	root = load(path);
	assert_string_equal(json_string_value(json_object_get(root, "status")), "running");
	assert_int_equal(json_array_size(json_object_get(root, "measurements")), rows);
	json_decref(root);
}

/* A run of intervals may last for days and be killed: after each of them its document so far is there, and whole. */
TEST(test_shown, setup, teardown)
{
	struct capture capture = capture_begin(STDOUT_FILENO, NULL);
	struct report_row row = fixture_row_bw();
	struct report_info run_info = fixture_info();
	char taken[300], kept[300], moved[300], opened[64];
	struct report *report;
	int reader = -1;
	json_t *root;

	write_old();
	snprintf(taken, sizeof(taken), "%s.%d.tmp", config.json_path, (int)getpid());
	snprintf(kept, sizeof(kept), "%s/kept.json", folder);
	snprintf(moved, sizeof(moved), "%s/moved.json", folder);
	report = open_report();
	assert_int_equal(report_header(report, &run_info), 0);
	row.is_interval = true;
	for (size_t i = 1; i <= 9; i++) {
		row.interval_begin_s = (double)i;
		assert_int_equal(report_result(report, &row, REPORT_TOTAL), 0);
		expect_running(config.json_path, i);
		/* What a reader has opened stays as it is during the next interval, */
		if (i == 1)
			reader = open(config.json_path, O_RDONLY | O_CLOEXEC);
		if (i == 2) {
			snprintf(opened, sizeof(opened), "/proc/%d/fd/%d", (int)getpid(), reader);
			expect_running(opened, 1);
			close(reader);
		}
		/* ... and what its user has linked or moved for good. */
		if (i == 3)
			assert_int_equal(link(config.json_path, kept), 0);
		if (i == 6)
			assert_int_equal(rename(config.json_path, moved), 0);
		/* Its user may remove it, and a killed run with the same number may have left a file. */
		if (i == 5)
			assert_int_equal(unlink(config.json_path), 0);
		if (i == 7)
			assert_int_equal(mkfifo(taken, 0600), 0);
	}
	row.is_interval = false;
	assert_int_equal(report_result(report, &row, REPORT_TOTAL), 0);
	assert_int_equal(report_close(report, "complete", NULL), 0);
	report_free(report);
	free(capture_end(&capture));
	expect_valid(config.json_path);
	root = load(config.json_path);
	assert_int_equal(json_array_size(json_object_get(root, "measurements")), 10);
	json_decref(root);
	expect_running(kept, 3);
	expect_running(moved, 6);
	assert_int_equal(unlink(kept) | unlink(moved) | unlink(taken), 0);
	assert_int_equal(num_files(), 1);
}

TEST(test_replaces, setup, teardown)
{
	struct report_row row = fixture_row_bw();
	mode_t mask = umask(026);
	struct stat status;

	write_old();
	run(&row, 1, "complete", NULL);
	umask(mask);
	assert_int_equal(stat(config.json_path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	assert_int_equal(num_files(), 1);
	expect_valid(config.json_path);
}

/* A link stays a link; what it points to is replaced. */
TEST(test_link, setup, teardown)
{
	struct report_row row = fixture_row_bw();
	char target[128];
	struct stat status;

	write_old();
	snprintf(target, sizeof(target), "%s/target.json", folder);
	assert_int_equal(rename(config.json_path, target), 0);
	assert_int_equal(symlink("target.json", config.json_path), 0);
	run(&row, 1, "complete", NULL);
	assert_int_equal(lstat(config.json_path, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	expect_valid(target);
	/* Also if there is nothing yet. */
	assert_int_equal(unlink(target), 0);
	run(&row, 1, "complete", NULL);
	assert_int_equal(lstat(config.json_path, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	expect_valid(target);
}

/* One line that names the file, the code, the text unharmed. */
static void expect_refused(int expected, bool at_open)
{
	struct capture errors = capture_begin(STDERR_FILENO, NULL);
	struct capture capture = capture_begin(STDOUT_FILENO, NULL);
	struct report_row row = fixture_row_bw();
	struct report *report = NULL;
	int opened, result = 0, closed = 0;
	char *text, *printed;

	opened = report_open(&report, &config);
	if (!opened) {
		report_heading(report);
		result = report_result(report, &row, REPORT_TOTAL);
		closed = report_close(report, "complete", NULL);
		report_free(report);
	}
	printed = capture_end(&capture);
	text = capture_end(&errors);
	assert_int_equal(opened, at_open ? expected : 0);
	assert_int_equal(result, 0);
	assert_int_equal(closed, at_open ? 0 : expected);
	assert_non_null(strstr(text, config.json_path));
	assert_non_null(strstr(text, strerror(-expected)));
	assert_true(strchr(text, '\n') == text + strlen(text) - 1);
	if (!at_open)
		assert_non_null(strstr(printed, ROW_BW "\n" RULE));
	free(text);
	free(printed);
}

/*
 * What is no regular file is written, never replaced. A pipe proves it before /dev/full is touched: a bug
 * here, run by root, would take that device away from the machine.
 */
TEST(test_device_full, setup, teardown)
{
	struct report *report;
	struct stat status;
	char first = 0;
	int fd, ends[2];

	assert_int_equal(mkfifo(config.json_path, 0600), 0);
	fd = open(config.json_path, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	report = open_report();
	assert_int_equal(report_close(report, "failed", NULL), 0);
	report_free(report);
	assert_int_equal(read(fd, &first, 1), 1);
	assert_int_equal(first, '{');
	close(fd);
	assert_int_equal(stat(config.json_path, &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
	assert_int_equal(num_files(), 1);

	/* As a shell's >(command) names it: a link whose target has no path. */
	assert_int_equal(pipe(ends), 0);
	snprintf(config.json_path, sizeof(config.json_path), "/dev/fd/%d", ends[1]);
	report = open_report();
	assert_int_equal(report_close(report, "failed", NULL), 0);
	report_free(report);
	assert_int_equal(read(ends[0], &first, 1), 1);
	assert_int_equal(first, '{');
	close(ends[0]);
	close(ends[1]);

	strcpy(config.json_path, "/dev/full");
	expect_refused(-ENOSPC, false /* at open */);
	assert_int_equal(stat("/dev/full", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
}

/* A limit of the file size stands for a full disk: the writes begin to fail half way. */
TEST(test_disk_full, setup, teardown)
{
	struct rlimit unlimited, limited;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);

	write_old();
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
	limited = unlimited;
	limited.rlim_cur = 1024;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limited), 0);
	expect_refused(-EFBIG, false /* at open */);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
	signal(SIGXFSZ, handler);
	expect_old();
}

static FILE *plant(const char *end)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s.%s", config.json_path, end);
	file = fopen(path, "w+");
	assert_non_null(file);
	fputs("planted", file);
	fflush(file);
	return file;
}

/* Another run's file under the temporary name is no place to write to, and no obstacle. */
TEST(test_planted, setup, teardown)
{
	struct report_row row = fixture_row_bw();
	char end[32];
	FILE *file;

	snprintf(end, sizeof(end), "%d.tmp", (int)getpid());
	file = plant(end);
	assert_int_equal(flock(fileno(file), LOCK_EX), 0);
	run(&row, 1, "complete", NULL);
	expect_valid(config.json_path);
	rewind(file);
	assert_int_equal(fgetc(file), 'p');
	assert_int_equal(num_files(), 2);
	fclose(file);
}

/* What a killed run left, which nothing has locked any more, goes; what is named otherwise is not the suite's. */
TEST(test_stale, setup, teardown)
{
	static const char *const ends[] = {"4711.tmp", "4711-3.tmp"};
	static const char *const others[] = {"tmp",	    ".tmp",	 "x.tmp",	 "4711x.tmp",
					     "4711.tmp.gz", "4711-.tmp", "4711.old.tmp", "2024-06-01.tmp"};
	const size_t num_others = sizeof(others) / sizeof(others[0]);
	struct report_row row = fixture_row_bw();

	for (size_t i = 0; i < 2; i++)
		fclose(plant(ends[i]));
	for (size_t i = 0; i < num_others; i++)
		fclose(plant(others[i]));
	run(&row, 1, "complete", NULL);
	expect_valid(config.json_path);
	assert_int_equal(num_files(), 1 + num_others);
}

TEST(test_no_folder, setup, teardown)
{
	snprintf(config.json_path, sizeof(config.json_path), "%s/nowhere/run.json", folder);
	expect_refused(-ENOENT, true /* at open */);
	snprintf(config.json_path, sizeof(config.json_path), "%s", folder);
	expect_refused(-EISDIR, true /* at open */);
	assert_int_equal(num_files(), 0);
}

/* --- several documents --- */

/* What scripts/merge_documents makes of some of the documents in the folder. */
static void merge(const char *names, char *text, size_t size)
{
	char command[256];
	FILE *merged;
	size_t length;

	snprintf(command, sizeof(command), "cd %s && " TOP_SRCDIR "/scripts/merge_documents %s", folder, names);
	merged = popen(command, "r");
	assert_non_null(merged);
	length = fread(text, 1, size - 1, merged);
	text[length] = '\0';
	assert_int_equal(pclose(merged), 0);
	assert_true(length > 0);
}

/* Two runs, and one that had all their samples: over several decades, with an outlier in one of them. */
TEST(test_merge, setup_lat, teardown)
{
	char merged[512], both[512];

	for (unsigned part = 1; part <= 3; part++) {
		struct report_row row;

		fixture_reset(&latency);
		for (unsigned i = 0; i < 5000; i++) {
			if (part & 1)
				latency_record(&latency, 300 + i * i % 77777);
			if (part & 2)
				latency_record(&latency, i == 4321 ? 123456789 : 100 + i * 7 % 4096);
		}
		row = fixture_row_lat(&latency);
		snprintf(config.json_path, sizeof(config.json_path), "%s/%u.json", folder, part);
		run(&row, 1, "complete", NULL);
		expect_valid(config.json_path);
	}
	merge("1.json 2.json", merged, sizeof(merged));
	merge("3.json", both, sizeof(both));
	assert_string_equal(merged, both);
	assert_memory_equal(both, "2 10000 ", 8);
}

TEST_MAIN(NULL, NULL)
