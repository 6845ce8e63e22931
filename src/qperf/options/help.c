// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See qperf.h. The categories and their format are those of qperf 0.4.11. */
#include "qperf/qperf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "qperf/options/options.h"
#include "qperf/options/tests.h"
#include "util/terminal.h"

#define COLUMNS	    78
#define OPTS_COLUMN 38
#define TEST_COLUMN 32
#define WIDE_COLUMN 28

static void print_folded(const char *text, int indent)
{
	char folded[2048];

	printf("%*s%s\n", indent, "", text_fold(text, COLUMNS, indent, indent, folded, sizeof(folded)));
}

/* --- main and others of plain text --- */

static void print_main(void)
{
	printf("Synopsis\n"
	       "    qperf\n"
	       "    qperf SERVERNODE [OPTIONS] TESTS\n\n"
	       "Description\n");
	print_folded("qperf measures bandwidth, latency and CPU use between two nodes, over sockets as well as over "
		     "RDMA. Started without arguments it is the server, which gets everything it needs from its "
		     "clients and can serve many of them. A client names the server and the tests.",
		     4);
	printf("\n");
	print_folded("Options apply to the tests that follow them. For more, see:", 4);
	printf("\n"
	       "        qperf --help examples       Some examples of using qperf\n"
	       "        qperf --help opts           Summary of options\n"
	       "        qperf --help options        Description of options\n"
	       "        qperf --help tests          Short summary of the tests\n"
	       "        qperf --help TESTNAME       More on the test TESTNAME\n");
}

static void qperf_print_examples(void)
{
	static const char *const examples[][2] = {
		{"TCP bandwidth and latency, and the configuration of both hosts:",
		 "qperf myserver tcp_bw tcp_lat conf"},
		{"UDP bandwidth for ten seconds, then for half a second:", "qperf myserver -t 10 udp_bw -t 0.5 udp_bw"},
		{"UDP latency, then make the server quit:", "qperf myserver udp_lat quit"},
		{"TCP latency for messages of 1 byte to 64 KiB:", "qperf myserver -oo msg_size:1:64K:*2 -vu tcp_lat"},
		{"Output that is easy to parse in a script:", "qperf myserver -uu -ub tcp_bw"},
		{"All details of a test, with percentiles:", "qperf myserver -vv -vd tcp_lat"},
		{"Five runs, and a JSON document:", "qperf myserver --repeat 5 --out_json_file tcp.json tcp_bw"},
		{"Runs until the bandwidth is known within 2 %:", "qperf myserver --until 2 tcp_bw"},
	};

	printf("The server runs on myserver, where it was started as \"qperf\".\n");
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		printf("    * %s\n        %s\n", examples[i][0], examples[i][1]);
}

/* --- options --- */

static void print_opt(const char *names, const char *summary, int indent)
{
	int column = printf("%*s%s", indent, "", names);

	if (column >= OPTS_COLUMN - 1) {
		printf("\n");
		column = 0;
	}
	printf("%*s%s\n", OPTS_COLUMN - column, "", summary);
}

/* "--loc_cpu_affinity PN (-lca)" */
static void option_names(const struct opt_row *row, const char *prefix, char letter, char *text, size_t size)
{
	const char one[] = {letter, '\0'};

	snprintf(text, size, "--%s%s%s%s%s%s%s%s", prefix, row->long_name, row->argument ? " " : "",
		 row->argument ? row->argument : "", row->letters ? " (-" : "", row->letters ? one : "",
		 row->letters ? row->letters : "", row->letters ? ")" : "");
}

static void print_forms(const struct opt_row *row, void (*print)(const char *, const char *, int))
{
	static const struct {
		const char *prefix;
		char letter;
		const char *side;
	} sides[] = {{"loc_", 'l', "On this side only"}, {"rem_", 'r', "On the server only"}};
	const struct option_own *own = option_own(row);
	char names[96], summary[96];

	for (unsigned i = 0; own->one_sided && i < 2; i++) {
		option_names(row, sides[i].prefix, sides[i].letter, names, sizeof(names));
		print(names, sides[i].side, 2);
	}
	for (unsigned i = 0; own->is_switch && row->letters && i < (own->one_sided ? 3 : 1); i++) {
		snprintf(names, sizeof(names), "-%.*s%s1", i ? 1 : 0, i == 1 ? "l" : "r", row->letters);
		snprintf(summary, sizeof(summary), "The same as --%s%s 1",
			 i == 1	  ? "loc_"
			 : i == 2 ? "rem_"
				  : "",
			 row->long_name);
		print(names, summary, 2);
	}
}

static void print_opts(void)
{
	char names[96];

	for (size_t i = 0; i < qperf_options.num_rows; i++) {
		option_names(&qperf_options.rows[i], "", '\0', names, sizeof(names));
		print_opt(names, qperf_options.rows[i].brief, 0);
		print_forms(&qperf_options.rows[i], print_opt);
	}
}

static void print_described(const char *names, const char *text, int indent)
{
	printf("%*s%s\n", indent, "", names);
	print_folded(text, indent + 6);
}

static void qperf_print_option(const struct opt_row *row)
{
	const char *help = row->help ? row->help : row->brief;
	const bool is_whole = help[strlen(help) - 1] == '.', has_words = !is_whole && row->kind == OPT_CHOICE;
	char names[96], allowed[OPT_TEXT_SIZE], text[2 * OPT_TEXT_SIZE];

	option_names(row, "", '\0', names, sizeof(names));
	opt_allowed(row, ~0U, allowed, sizeof(allowed));
	snprintf(text, sizeof(text), "%s%s%s%s", help, has_words ? ": " : "", has_words ? allowed : "",
		 is_whole ? "" : ".");
	print_described(names, text, 0);
	print_forms(row, print_described);
}

static void qperf_print_options(void)
{
	for (size_t i = 0; i < qperf_options.num_rows; i++)
		qperf_print_option(&qperf_options.rows[i]);
}

/* --- tests --- */

static void print_tests(void)
{
	for (enum test_group group = 0; group < NUM_GROUPS; group++) {
		bool any = false;

		for (size_t i = 0; i < num_test_rows; i++) {
			if (test_rows[i].group != group)
				continue;
			if (!any)
				printf("%s\n", test_groups[group]);
			any = true;
			printf("    %-*s%s\n", TEST_COLUMN - 8, test_rows[i].name, test_rows[i].purpose);
		}
	}
}

static void print_categories(void)
{
	printf("To get help on a particular category, you may type:\n"
	       "    qperf --help CATEGORY\n"
	       "where CATEGORY might be one of the following:\n"
	       "    categories          This list\n"
	       "    examples            Some examples\n"
	       "    options             What each option does\n"
	       "    opts                The options in short\n"
	       "    tests               The tests\n"
	       "or an option, by its name (msg_size, -m), or one of the following tests:\n");
	for (size_t i = 0; i < num_test_rows; i++)
		printf("    %s\n", test_rows[i].name);
}

static void print_used(const struct test_row *test)
{
	char names[96];

	printf("Options\n");
	for (size_t i = 0; i < qperf_options.num_rows; i++) {
		const struct opt_row *row = &qperf_options.rows[i];
		int column;

		if (row->group == OPTIONS_TEST ? !(test->uses & PARAM_BIT(option_own(row)->parameter))
					       : !option_own(row)->every_test)
			continue;
		option_names(row, "", '\0', names, sizeof(names));
		column = printf("    %s", names);
		printf("%*s%s\n", column < WIDE_COLUMN + 8 ? WIDE_COLUMN + 8 - column : 2, "", row->brief);
	}
}

static void print_test(const struct test_row *test)
{
	printf("Purpose\n    %s\n", test->purpose);
	print_used(test);
	if (test->measure != MEASURE_NONE)
		printf("Display Options\n    --precision, --unify_nodes, --unify_units%s, --verbose\n",
		       test->measure == MEASURE_BANDWIDTH || test->measure == MEASURE_BANDWIDTHS
			       ? ", --use_bits_per_sec"
			       : "");
	printf("Description\n");
	print_folded(test->description, 4);
}

int help_print(const char *category)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} categories[] = {
		{"main", print_main},
		{"categories", print_categories},
		{"examples", qperf_print_examples},
		{"options", qperf_print_options},
		{"opts", print_opts},
		{"tests", print_tests},
	};
	const struct test_row *test = test_find(category);
	const struct spelling option = *category == '-' ? option_find(category) : option_find_variable(category);

	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
		if (strcmp(category, categories[i].name) == 0) {
			categories[i].print();
			return 0;
		}
	}
	if (test)
		print_test(test);
	else if (option.row)
		qperf_print_option(option.row);
	else
		return -ENOENT;
	return 0;
}
