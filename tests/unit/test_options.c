// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Is the option table consistent: unique names, separate fields, valid defaults and ranges, every option of the classic
 * suite?
 */
#include "command_line.h"
#include "params/masks.h"
#include "params/options.h"

#define NUM_ROWS params_options.num_rows

static const struct opt_row *row_at(unsigned index)
{
	return &params_options.rows[index];
}

/* Every spelling of a row: its long name and its aliases. */
static const char *spelling(const struct opt_row *row, unsigned n)
{
	return n == 0 ? row->long_name : n <= OPT_MAX_ALIASES ? row->aliases[n - 1] : NULL;
}

TEST(every_spelling_finds_its_own_row)
{
	for (unsigned i = 0; i < NUM_ROWS; i++)
		assert_ptr_equal(opt_find(&params_options, row_at(i)->long_name), row_at(i));
	/* Of a program there is one; what a row of others is called, too, is found by that name. */
	for (unsigned i = 0; i < NUM_ROWS; i++)
		for (unsigned n = 1; n <= OPT_MAX_ALIASES && spelling(row_at(i), n); n++) {
			const struct opt_row *found = opt_find(&params_options, spelling(row_at(i), n));

			assert_non_null(found);
			if (found != row_at(i))
				assert_false(found->programs & row_at(i)->programs);
		}
}

/* What a program tolerates it does not have. */
TEST(tolerated_is_what_others_have)
{
	for (unsigned i = 0; i < NUM_ROWS; i++) {
		assert_false(row_at(i)->tolerated & row_at(i)->programs);
		assert_false(row_at(i)->tolerated & ~(unsigned)ALL);
	}
}

TEST(no_letter_is_used_twice)
{
	bool used[256] = {false};

	for (unsigned i = 0; i < NUM_ROWS; i++) {
		const unsigned char letter = (unsigned char)row_at(i)->short_name;

		assert_false(letter && used[letter]);
		used[letter] = true;
	}
}

static bool fields_overlap(const struct opt_row *a, const struct opt_row *b)
{
	return a->offset < b->offset + b->width && b->offset < a->offset + a->width;
}

TEST(no_field_is_stored_by_two_options_of_a_program)
{
	for (unsigned i = 0; i < NUM_ROWS; i++)
		for (unsigned k = 0; k < i; k++)
			if (row_at(i)->programs & row_at(k)->programs && fields_overlap(row_at(i), row_at(k)))
				fail_msg("%s and %s share a field", row_at(i)->long_name, row_at(k)->long_name);
}

static bool width_fits(const struct opt_row *row)
{
	switch (row->kind) {
	case OPT_FLAG:
		return row->width == sizeof(bool);
	case OPT_DOUBLE:
		return row->width == sizeof(double);
	case OPT_STRING:
		return row->width > 1 && row->width <= OPT_TEXT_SIZE;
	case OPT_PERCENTS:
		return row->width % sizeof(double) == 0 && row->count_offset > 0;
	default:
		return row->width == 1 || row->width == 2 || row->width == 4 || row->width == 8;
	}
}

TEST(every_row_is_complete)
{
	for (unsigned i = 0; i < NUM_ROWS; i++) {
		const struct opt_row *row = row_at(i);
		const size_t length = strlen(row->help);

		assert_true(width_fits(row));
		assert_true(length > 0 && row->help[length - 1] != '.');
		assert_true(row->kind == OPT_FLAG ? !row->argument : row->argument && *row->argument);
		assert_true(row->group < params_options.num_groups);
		assert_true(row->programs && !(row->programs & ~ALL));
		assert_true(strcmp(row->since, "6.06") == 0 || strcmp(row->since, "6.29") == 0 ||
			    strcmp(row->since, "7.0") == 0);
		/* what travels is text without line breaks of its own making; empty only if it has no default */
		if (row->kind == OPT_STRING && row->reach != OPT_LOCAL) {
			char text[OPT_TEXT_SIZE];

			assert_true(!row->default_text || *row->default_text);
			snprintf(text, sizeof(text), "%s\n", row->default_text ? row->default_text : "10.0.0.1");
			assert_true(row->check && row->check(text));
			assert_true(!row->default_text || !row->check(row->default_text));
		}
	}
}

/* Every program is one bit, and a set of them can be said. */
TEST(every_mask_can_be_said)
{
	unsigned seen = 0;
	char words[OPT_TEXT_SIZE];

	for (size_t i = 0; i < num_programs; i++) {
		assert_false(seen & program_bit(&programs[i]));
		seen |= program_bit(&programs[i]);
		assert_ptr_equal(program_find(programs[i].name), &programs[i]);
	}
	assert_int_equal(seen, ALL);
	assert_null(program_find("ib_write"));
	assert_string_equal(programs_text(PROGRAM_BIT(IB_SEND_BW) | PROGRAM_BIT(IB_READ_LAT), words, sizeof(words)),
			    "ib_send_bw and ib_read_lat");
	assert_string_equal(programs_text(BW, words, sizeof(words)), "bandwidth tests");
	assert_string_equal(programs_text(BW & ~RAW, words, sizeof(words)), "ib_* bandwidth tests");
	assert_string_equal(programs_text(IB, words, sizeof(words)), "ib_* tests");
	assert_string_equal(programs_text(READ | ATOMIC, words, sizeof(words)), "read and atomic tests");
	assert_string_equal(programs_text(PROGRAM_BIT(IB_SEND_LAT), words, sizeof(words)), "send latency tests");
	assert_string_equal(programs_text(ALL, words, sizeof(words)), "tests");
}

/* A default is written as a user would: it is read by the same parser, and comes back as the same text. */
TEST(every_default_reads_back)
{
	char value[OPT_TEXT_SIZE], reason[OPT_TEXT_SIZE];
	struct params params;

	for (size_t p = 0; p < num_programs; p++) {
		params_init(&params, &programs[p]);
		for (unsigned i = 0; i < NUM_ROWS; i++) {
			const char *usual = opt_default(row_at(i), program_bit(&programs[p]));

			if (!(row_at(i)->programs & program_bit(&programs[p])))
				continue;
			opt_value_write(row_at(i), &params, true /* as requested */, value, sizeof(value));
			if (!usual)
				usual = row_at(i)->kind == OPT_FLAG ? "off" : "";
			assert_string_equal(value, usual);
			if (*usual && opt_value_read(row_at(i), program_bit(&programs[p]), &params, usual, reason,
						     sizeof(reason)))
				fail_msg("--%s=%s: %s", row_at(i)->long_name, usual, reason);
		}
	}
}

static void reads_as(const struct opt_row *row, double number, bool accepted)
{
	char text[64], reason[OPT_TEXT_SIZE] = "", back[OPT_TEXT_SIZE];
	struct params params;
	int ret;

	params_init(&params, &programs[0]);
	snprintf(text, sizeof(text), "%.15g", number);
	if (row->kind == OPT_INTEGER || row->kind == OPT_SIZE)
		snprintf(text, sizeof(text), "%.0f", number);
	ret = opt_value_read(row, ~0U, &params, text, reason, sizeof(reason));
	if ((ret == 0) != accepted)
		fail_msg("--%s=%s: %s", row->long_name, text, ret ? reason : "accepted");
	if (ret) {
		assert_int_equal(ret, -EINVAL);
		assert_non_null(strstr(reason, "allowed: "));
	} else if (row->kind == OPT_INTEGER || row->kind == OPT_SIZE) {
		assert_string_equal(opt_value_write(row, &params, true /* as requested */, back, sizeof(back)), text);
	}
}

/* Nothing is cut to the width of a field: both ends of a range come back, and what lies outside is refused. */
TEST(every_range_holds)
{
	for (unsigned i = 0; i < NUM_ROWS; i++) {
		const struct opt_row *row = row_at(i);

		if (row->kind != OPT_INTEGER && row->kind != OPT_SIZE && row->kind != OPT_DOUBLE)
			continue;
		assert_true(row->min < row->max);
		reads_as(row, row->min, true);
		reads_as(row, row->max, true);
		reads_as(row, row->min - 1, false);
		reads_as(row, row->max * 2 + 1, false);
		/* what the classic parser took for something else */
		reads_as(row, row->max + 256, false);
		reads_as(row, 18446744073709551616.0, false);
	}
}

TEST(numbers_are_read_whole)
{
	static const char *const rubbish[] = {"",   "x",   "5x",  "5 ", " 5",  "+5", "5,",
					      "0x", "1KM", "--5", "5e", "nan", "inf"};
	char reason[OPT_TEXT_SIZE];
	struct params params;

	params_init(&params, &programs[0]);
	for (unsigned i = 0; i < NUM_ROWS; i++) {
		const struct opt_row *row = row_at(i);
		struct params before = params;

		if (row->kind != OPT_INTEGER && row->kind != OPT_SIZE && row->kind != OPT_DOUBLE &&
		    row->kind != OPT_PERCENTS)
			continue;
		for (size_t n = 0; n < sizeof(rubbish) / sizeof(rubbish[0]); n++) {
			assert_int_equal(opt_value_read(row, ~0U, &params, rubbish[n], reason, sizeof(reason)),
					 -EINVAL);
			assert_memory_equal(&params, &before, sizeof(params)); /* nothing written */
		}
	}
}

TEST(choices_are_those_of_the_program)
{
	const struct opt_row *row = opt_find(&params_options, "connection");
	char reason[OPT_TEXT_SIZE];
	struct params params;

	for (size_t p = 0; p < num_programs; p++) {
		params_init(&params, &programs[p]);
		for (enum transport t = TRANSPORT_RC; t < TRANSPORT_COUNT; t++) {
			int ret = opt_value_read(row, program_bit(&programs[p]), &params, transport_traits(t)->name,
						 reason, sizeof(reason));

			assert_int_equal(ret == 0, !!(programs[p].transports & TRANSPORT_BIT(t)));
			if (ret == 0)
				assert_int_equal(params.asked.transport, t);
		}
	}
}

struct usual {
	const char *program;
	uint64_t size, iters;
	uint32_t tx_depth, rx_depth, cq_mod;
};

TEST(the_programs_have_the_classic_defaults)
{
	static const struct usual table[] = {
		{"ib_write_bw", 65536, 5000, 128, 1, 1},  {"ib_write_lat", 2, 1000, 1, 1, 1},
		{"ib_read_bw", 65536, 1000, 128, 1, 1},	  {"ib_read_lat", 2, 1000, 1, 1, 1},
		{"ib_send_bw", 65536, 1000, 128, 512, 1}, {"ib_send_lat", 2, 1000, 1, 512, 1},
		{"ib_atomic_bw", 8, 1000, 128, 1, 100},	  {"ib_atomic_lat", 8, 1000, 1, 1, 1},
	};
	struct params params;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		command_line_is_accepted(table[i].program, &params);
		assert_int_equal(params.verbs.size, table[i].size);
		assert_int_equal(params.test.iters, table[i].iters);
		assert_int_equal(params.verbs.tx_depth, table[i].tx_depth);
		assert_int_equal(params.verbs.rx_depth, table[i].rx_depth);
		assert_int_equal(params.verbs.cq_mod, table[i].cq_mod);
		assert_int_equal(params.channel.port, 18515);
		assert_int_equal(params.verbs.port, 1);
		assert_int_equal(params.queues.num_qps, 1);
		assert_int_equal(params.verbs.qp_timeout, 14);
		assert_int_equal(params.verbs.transport, TRANSPORT_RC);
		assert_int_equal(params.verbs.gid_index, CONFIG_AUTO);
		assert_int_equal(
			params.verbs.inline_size,
			params.program->verb == VERB_READ || params.program->verb == VERB_ATOMIC ? 0 : CONFIG_AUTO);
		assert_string_equal(params.report.out_json_file, "perftest_out.json");
	}
}

/* Long names of the classic suite that this version has, with their letters, as in its own table. */
TEST(no_classic_name_is_lost)
{
	static const char *const names[] = {
		"port[p]",
		"ib-dev[d]",
		"ib-port[i]",
		"mtu[m]",
		"size[s]",
		"iters[n]",
		"tx-depth[t]",
		"qp-timeout[u]",
		"sl[S]",
		"gid-index[x]",
		"all[a]",
		"CPU-freq[F]",
		"connection[c]",
		"qp[q]",
		"events[e]",
		"vector[X]",
		"inline_size[I]",
		"outs[o]",
		"help", /* -h is the short form of it: --usage */
		"rx-depth[r]",
		"bidirectional[b]",
		"cq-mod[Q]",
		"noPeak[N]",
		"version[V]",
		"report-cycles[C]",
		"report-histogrm[H]",
		"report-histogram[H]",
		"report-unsorted[U]",
		"atomic_type[A]",
		"post_list[l]",
		"duration[D]",
		"margin[f]",
		"limit_bw[w]",
		"limit_msgrate[y]",
		"report-counters[W]",
		"force-link",
		"run_infinitely",
		"report_gbits",
		"report-both",
		"reversed",
		"pkey_index",
		"burst_size",
		"rate_limit",
		"rate_limit_type",
		"rate_units",
		"output",
		"cpu_util",
		"out_json",
		"out_json_file",
		"latency_gap",
		"ipv6",
		"use_hugepages",
		"use_old_post_send",
		"mr_per_qp",
		"disable_pcie_relaxed",
		"dont_xchg_versions",
		"dlid",
		"tclass",
		"wait_destroy",
		"perform_warm_up",
		"recv_post_list",
		"bind_source_ip",
		"ipv6-addr",
		"payload_file_path",
		"write_with_imm",
		"send_with_imm",
		"cqe_poll",
		"disable_dynamic_polling",
		"pin_cores",
		"numa_node",
		"disable_numa",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *bracket = strchr(names[i], '[');
		char name[64];
		const struct opt_row *row;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(names[i], "["), names[i]);
		row = opt_find(&params_options, name);
		if (!row)
			fail_msg("--%s is not in the table", name);
		assert_int_equal(row->short_name, bracket ? bracket[1] : 0);
	}
}

TEST_MAIN(NULL, NULL)
