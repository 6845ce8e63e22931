// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does the advice of a cause name only options of the program that gives it, in each program? */
#include "advice_words.h"
#include "cmocka_all.h"
#include "cmtime/parameters.h"
#include "cxi/parameters.h"
#include "explain/explain.h"
#include "params/options.h"
#include "params/programs.h"
#include "qperf/options/options.h"

TEST(brackets_have_what_the_program_has)
{
	const struct advised bandwidth = {&params_options, PROGRAM_BIT(IB_WRITE_BW)};
	const struct advised latency = {&params_options, PROGRAM_BIT(IB_WRITE_LAT)};
	const struct advised none = {0};
	const struct {
		const char *advice, *of_bandwidth, *of_latency, *of_none;
	} rows[] = {
		{"taskset[, --pin_cores][, --cpu_affinity]", "taskset, --pin_cores", "taskset, --pin_cores", "taskset"},
		{"[a larger --tx-depth, or more (--qp)]", "a larger --tx-depth, or more (--qp)", "", ""},
		{"always [madvise] never", "always [madvise] never", "always [madvise] never",
		 "always [madvise] never"},
		{"cut short [--pin", "cut short [--pin", "cut short [--pin", "cut short [--pin"},
		{"", "", "", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[3][96];

		for (unsigned n = 0; n < 3; n++)
			snprintf(text[n], sizeof(text[n]), "%s", rows[i].advice);
		advice_fit(&bandwidth, text[0]);
		advice_fit(&latency, text[1]);
		advice_fit(&none, text[2]);
		assert_string_equal(text[0], rows[i].of_bandwidth);
		assert_string_equal(text[1], rows[i].of_latency);
		assert_string_equal(text[2], rows[i].of_none);
	}
}

static void check_all(const struct advised *program, const char *name)
{
	char text[EXPLAIN_EVIDENCE_SIZE];

	for (size_t i = 0; i < num_causes; i++) {
		const struct explained named = {.cause = &causes[i]};
		const char *foreign;

		assert_in_range(strlen(causes[i].advice), 1, sizeof(text) - 1);
		foreign = foreign_option(explained_advice(&named, program, text), program);
		if (foreign)
			fail_msg("%s: %s: %s", name, causes[i].name, foreign);
	}
}

TEST(advice_names_options_of_its_program)
{
	for (const struct program *program = programs; program < programs + num_programs; program++)
		check_all(&(struct advised){&params_options, program_bit(program)}, program->name);
	check_all(&(struct advised){&cmtime_options, CMTIME_PROGRAM}, "cmtime");
	check_all(&(struct advised){&cxi_options, CXI_PROGRAM}, "cxi_send_bw");
	check_all(&(struct advised){&qperf_options, QPERF_CLIENT}, "qperf");
}

TEST_MAIN(NULL, NULL)
