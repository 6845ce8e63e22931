// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * THE columns. Order, words, gaps and widths of the text are those of classic perftest 6.29, because scripts extract
 * its columns by position; new ones follow.
 */
#include "report/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/clock.h"
#include "util/terminal.h"

#define BYTES_PER_MIB	  1048576.0
#define BYTES_PER_GIGABIT 125000000.0
#define GBITS_FINE_BELOW  0.1 /* Gb/s: below it two decimals are too few */
#define STAMP_GAP	  "   "

#define LAT_HEAD_GAPS(lat, time) .head_gap = {[FORM_LAT] = (lat), [FORM_LAT_TIME] = (time)}

#define RULES_HEAD_GAPS(text) .head_gap = {[FORM_RULES] = (text), [FORM_RULES_TIME] = ADDED_HEAD_GAP}

#define CELL(text, least, decimals)                                                                                    \
	{                                                                                                              \
		.gap = (text), .width = (least), .precision = (decimals)                                               \
	}
/* Omitted by classic perftest in a latency row by time. */
#define ADDED_HEAD_GAP "    "
#define ADDED_DECIMALS(decimals)                                                                                       \
	{                                                                                                              \
		.gap = "        ", .width = 7, .precision = (decimals), .added = true                                  \
	}
#define ADDED_CELL ADDED_DECIMALS(2)

/* The classic "tps": iterations of the ping-pong, whichever part of it the latency columns show. */
static double row_transactions(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->seconds > 0 ? (double)row->iterations / row->seconds : NAN;
}

static double row_removals(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->removal_seconds > 0 ? (double)row->iterations / row->removal_seconds : NAN;
}

/* Of one side, which is column->index, if the row is a sum. */
static double row_iterations_of(const void *of, const struct column *column)
{
	const struct report_row *row = of;
	const bool is_sum = row->iterations_of[REPORT_OWN] || row->iterations_of[REPORT_PEER];

	return is_sum ? (double)row->iterations_of[column->index] : NAN;
}

/* What a column begins with: which rows have it; its heading in text, and its name in the classic document, or NULL. */
#define COLUMN(name, what, kinds)  .key = (name), .quantity = QUANTITY_##what, .any = (kinds)
#define HEADING(heading, old_name) .head = (heading), .classic = (old_name)
#define OF(name)		   .member = MEMBER(struct report_row, name)
#define OF_PEERS(name)                                                                                                 \
	.member = MEMBER(struct report_peers, name), .behind = MEMBER(struct report_row, peers), .all = HAS_PEERS
#define OF_ONE_THREAD	       .when = MEMBER(struct report_row, thread), .all = HAS_THREADS
#define OF_KNOWN(part, name)   OF(part.name), .when = MEMBER(struct report_row, part.known)
#define FIGURE_IN(name, which) .behind = MEMBER(struct report_row, name), .figure = FIGURE_##which
#define FIGURE_OF(which)       FIGURE_IN(latency, which)

#define PORT_COLUMN(name, what, heading, text, decimals, value)                                                        \
	COLUMN(name, what, IN_BW), .head = (heading), .all = HAS_PORTS, .head_gap = {[FORM_BW_PORTS] = "   "},         \
				   .cells = {[FORM_BW_PORTS] = CELL(text, 7, decimals)}, OF(value)
/* A figure of a latency: classic perftest has it in a row by messages, and not in one by time. */
#define LAT_FIGURE(name, heading, old_name, head, text, which)                                                         \
	COLUMN(name, TIME, IN_LAT), HEADING(heading, old_name), LAT_HEAD_GAPS(head, ADDED_HEAD_GAP),                   \
		.cells = {[FORM_LAT] = CELL(text, 7, 2), [FORM_LAT_TIME] = ADDED_CELL}, FIGURE_OF(which)
#define RULES_FIGURE(name, heading, text, which)                                                                       \
	COLUMN(name, TIME, IN_RULES), HEADING(heading, heading), RULES_HEAD_GAPS("\t"),                                \
		.cells = {[FORM_RULES] = CELL(text, 7, 2), [FORM_RULES_TIME] = ADDED_CELL}, FIGURE_OF(which)
#define RULES_ADDED(heading)                                                                                           \
	HEADING(heading, NULL), RULES_HEAD_GAPS(ADDED_HEAD_GAP),                                                       \
		.cells = {[FORM_RULES] = ADDED_CELL, [FORM_RULES_TIME] = ADDED_CELL}

/* Columns after all others; fine: of a row in Gb/s with more decimals. */
#define ADDED(heading, cell, fine)                                                                                     \
	.head = (heading),                                                                                             \
	.head_gap = {[FORM_BW... FORM_BW_FINE] = ADDED_HEAD_GAP, [FORM_LAT... FORM_LAT_TIME] = ADDED_HEAD_GAP},        \
	.cells = {[FORM_BW] = cell, [FORM_BW_FINE] = fine, [FORM_LAT... FORM_LAT_TIME] = cell}
#define ADDED_COUNT(heading) ADDED(heading, ADDED_DECIMALS(0), ADDED_DECIMALS(0))
#define ADDED_REAL(heading)  ADDED(heading, ADDED_CELL, ADDED_DECIMALS(6))

static const struct column columns[] = {
	{
		COLUMN("size", BYTES, IN_BW | IN_LAT | IN_LOAD),
		HEADING("#bytes", "MsgSize"),
		.head_gap = {[FORM_BW... FORM_LAT_TIME] = " ", [FORM_LOAD] = " "},
		.cells = {[FORM_BW... FORM_LAT_TIME] = CELL(" ", 7, 0), [FORM_LOAD] = CELL(" ", 7, 0)},
		OF(size),
	},
	{
		COLUMN("sl", COUNT, IN_BW),
		HEADING("#sl", "sl"),
		.head_gap = {[FORM_BW_SL] = "    "},
		.cells = {[FORM_BW_SL] = CELL("    ", 0, 0)},
		OF(sl),
		.all = HAS_SL,
	},
	{
		COLUMN("iterations", COUNT, IN_BW | IN_LAT | IN_LOAD),
		HEADING("#iterations", "n_iterations"),
		.head_gap = {[FORM_BW... FORM_BW_FINE] = "     ",
			     [FORM_BW_SL] = "      ",
			     [FORM_BW_PORTS] = "     ",
			     [FORM_LAT] = " ",
			     [FORM_LAT_TIME] = "        ",
			     [FORM_LOAD] = "  "},
		.cells = {[FORM_BW] = CELL("    ", 10, 0),
			  [FORM_BW_FINE] = CELL("    ", 0, 0),
			  [FORM_BW_SL] = CELL("           ", 0, 0),
			  [FORM_BW_PORTS] = CELL("    ", 10, 0),
			  [FORM_LAT] = CELL(" ", 0, 0),
			  [FORM_LAT_TIME] = CELL("       ", 0, 0),
			  [FORM_LOAD] = {.gap = " ", .width = 11, .right = true}},
		OF(iterations),
	},
	{
		COLUMN("bandwidth_peak", BANDWIDTH, IN_BW),
		HEADING("BW peak", "BW_peak"),
		.head_gap = {[FORM_BW... FORM_BW_PORTS] = "    "},
		.cells = {[FORM_BW] = CELL("       ", 7, 2),
			  [FORM_BW_FINE] = CELL("           ", 7, 6),
			  [FORM_BW_SL] = CELL("           ", 7, 2),
			  [FORM_BW_PORTS] = CELL("     ", 7, 2)},
		OF(bw_peak),
		.zero_unknown = true,
	},
	{
		COLUMN("bandwidth_average", BANDWIDTH, IN_BW),
		HEADING("BW average", "BW_average"),
		.head_gap = {[FORM_BW... FORM_BW_PORTS] = "    "},
		.cells = {[FORM_BW] = CELL("            ", 7, 2),
			  [FORM_BW_FINE] = CELL("            ", 7, 6),
			  [FORM_BW_SL] = CELL("            ", 7, 2),
			  [FORM_BW_PORTS] = CELL("            ", 7, 2)},
		OF(bw_average),
	},
	{
		COLUMN("message_rate", RATE, IN_BW),
		HEADING("MsgRate", "MsgRate"),
		.head_gap = {[FORM_BW... FORM_BW_PORTS] = "   "},
		.cells = {[FORM_BW] = CELL("\t\t     ", 7, 6),
			  [FORM_BW_FINE] = CELL("            ", 7, 6),
			  [FORM_BW_SL] = CELL("                  ", 7, 6),
			  [FORM_BW_PORTS] = CELL("\t\t   ", 7, 6)},
		OF(message_rate),
	},
	{PORT_COLUMN("bandwidth_average_port1", BANDWIDTH, "BW Port1", "        ", 2, ports[0].bw_average)},
	{PORT_COLUMN("message_rate_port1", RATE, "MsgRate Port1", "            ", 6, ports[0].message_rate)},
	{PORT_COLUMN("bandwidth_average_port2", BANDWIDTH, "BW Port2", "              ", 2, ports[1].bw_average)},
	{PORT_COLUMN("message_rate_port2", RATE, "MsgRate Port2", "            ", 6, ports[1].message_rate)},
	{LAT_FIGURE("latency_min", "t_min", "t_min", "    ", "          ", MIN)},
	{LAT_FIGURE("latency_max", "t_max", "t_max", "    ", "        ", MAX)},
	{LAT_FIGURE("latency_typical", "t_typical", "t_typical", "  ", "      ", TYPICAL)},
	{
		COLUMN("latency_average", TIME, IN_LAT),
		HEADING("t_avg", "t_avg"),
		LAT_HEAD_GAPS("    ", "       "),
		.cells = {[FORM_LAT] = CELL("  \t       ", 7, 2), [FORM_LAT_TIME] = CELL("            ", 7, 2)},
		FIGURE_OF(MEAN),
	},
	{LAT_FIGURE("latency_stdev", "t_stdev", "t_stdev", "    ", "     \t", STDEV)},
	{LAT_FIGURE("latency_percentile", "% percentile", "percentile_99", "   ", "\t\t", PERCENTILE), .percent = 99},
	{
		LAT_FIGURE("latency_percentile", "% percentile", "percentile_99.9", "   ", " \t\t", PERCENTILE),
		.blank_after = 1U << FORM_LAT,
		.percent = 99.9,
	},
	{
		COLUMN("latency_percentile", TIME, IN_LAT),
		HEADING("% percentile", NULL),
		LAT_HEAD_GAPS("  ", ADDED_HEAD_GAP),
		.blank_after = 1U << FORM_LAT,
		.cells = {[FORM_LAT] = {.gap = " \t\t", .width = 7, .precision = 2, .added = true},
			  [FORM_LAT_TIME] = ADDED_CELL},
		FIGURE_OF(PERCENTILE),
		.per_percentile = true,
	},
	{
		COLUMN("transactions", TPS, IN_LAT),
		HEADING("tps average", "tps_average"),
		.head_gap = {[FORM_LAT_TIME] = "    "},
		.cells = {[FORM_LAT_TIME] = CELL("        ", 7, 2)},
		.value = row_transactions,
	},
#include "report/load_columns.h"
	/* For steering rules: other headings, and other gaps. */
	{
		COLUMN("rules", COUNT, IN_RULES),
		HEADING("#flows", "n_flows"),
		.head_gap = {[FORM_RULES] = " ", [FORM_RULES_TIME] = " "},
		.cells = {[FORM_RULES] = CELL("", 0, 0), [FORM_RULES_TIME] = CELL("", 0, 0)},
		OF(iterations),
	},
	{RULES_FIGURE("latency_min", "fs_min_time", "          ", MIN)},
	{RULES_FIGURE("latency_max", "fs_max_time", "        \t\t", MAX)},
	{RULES_FIGURE("latency_typical", "fs_typical_time", "      \t", TYPICAL)},
	{
		COLUMN("latency_average", TIME, IN_RULES),
		HEADING("fs_avg_time", "fs_avg_time"),
		.head_gap = {[FORM_RULES] = "\t", [FORM_RULES_TIME] = "\t\t"},
		.cells = {[FORM_RULES] = CELL("  \t       \t\t", 7, 2),
			  [FORM_RULES_TIME] = CELL("               ", 7, 2)},
		FIGURE_OF(MEAN),
	},
	{
		COLUMN("rule_rate", TPS, IN_RULES),
		HEADING("fps", "fps"),
		.label = "[flow per sec]",
		.head_gap = {[FORM_RULES] = "\t", [FORM_RULES_TIME] = "    \t"},
		.cells = {[FORM_RULES] = CELL("     \t", 7, 2), [FORM_RULES_TIME] = CELL("\t\t", 7, 2)},
		.value = row_transactions,
	},
	{COLUMN("latency_stdev", TIME, IN_RULES), RULES_ADDED("fs_stdev_time"), FIGURE_OF(STDEV)},
	{COLUMN("latency_percentile", TIME, IN_RULES), RULES_ADDED("% percentile"), FIGURE_OF(PERCENTILE),
	 .percent = 99},
	{COLUMN("latency_percentile", TIME, IN_RULES), RULES_ADDED("% percentile"), FIGURE_OF(PERCENTILE),
	 .percent = 99.9},
	{
		COLUMN("latency_percentile", TIME, IN_RULES),
		RULES_ADDED("% percentile"),
		FIGURE_OF(PERCENTILE),
		.per_percentile = true,
	},
	{COLUMN("removal_rate", TPS, IN_RULES), RULES_ADDED("removed"), .label = "[flow per sec]",
	 .value = row_removals},
	{
		COLUMN("cpu_util", PERCENT, IN_BW | IN_LAT | IN_LOAD | IN_RULES),
		HEADING("CPU_Util", "CPU_util"),
		.head_gap = {[FORM_BW... FORM_LAT_TIME] = "    ", [FORM_RULES... FORM_RULES_TIME] = ADDED_HEAD_GAP},
		.cells = {[FORM_BW... FORM_LAT_TIME] = CELL("\t    ", 3, 2),
			  [FORM_RULES... FORM_RULES_TIME] = ADDED_CELL,
			  [FORM_LOAD] = {.gap = "  ", .width = 11, .precision = 2, .right = true}},
		OF(cpu_percent),
		.all = HAS_CPU_UTIL,
	},
	/*
	 * After all others: several measurements (--repeat, --until), the row of one thread (--threads), and several
	 * peers at once (--clients, HOST,HOST): how many are in the row, and how similar they are.
	 */
	{COLUMN("repeats", COUNT, IN_BW | IN_LAT), ADDED_COUNT("#repeats"), OF(repeats.count), .all = HAS_REPEATS},
	{COLUMN("repeats_left_out", COUNT, IN_BW | IN_LAT), ADDED_COUNT("left out"), OF(repeats.left_out),
	 .all = HAS_STEADY},
	{COLUMN("bandwidth_average_ci95_low", BANDWIDTH, IN_BW), ADDED_REAL("CI95 low"), OF(repeats.confidence.low),
	 .all = HAS_REPEATS},
	{COLUMN("bandwidth_average_ci95_high", BANDWIDTH, IN_BW), ADDED_REAL("CI95 high"), OF(repeats.confidence.high),
	 .all = HAS_REPEATS},
	{COLUMN("latency_typical_ci95_low", TIME, IN_LAT), ADDED_REAL("CI95 low"), OF(repeats.confidence.low),
	 .all = HAS_REPEATS},
	{COLUMN("latency_typical_ci95_high", TIME, IN_LAT), ADDED_REAL("CI95 high"), OF(repeats.confidence.high),
	 .all = HAS_REPEATS},
	{COLUMN("until_reached", FLAG, IN_BW | IN_LAT), ADDED_COUNT("reached"), OF(repeats.reached), .all = HAS_UNTIL},
	{COLUMN("thread", COUNT, IN_BW | IN_LAT), ADDED_COUNT("#thread"), OF(thread), OF_ONE_THREAD},
	{COLUMN("cpu", COUNT, IN_BW | IN_LAT), ADDED_COUNT("CPU"), OF(cpu), OF_ONE_THREAD},
	{COLUMN("peers_measured", COUNT, IN_BW | IN_LAT), ADDED_COUNT("#peers"), OF_PEERS(count)},
	{COLUMN("bandwidth_least", BANDWIDTH, IN_BW), ADDED_REAL("least"), OF_PEERS(least)},
	{COLUMN("bandwidth_most", BANDWIDTH, IN_BW), ADDED_REAL("most"), OF_PEERS(most)},
	{COLUMN("latency_typical_least", TIME, IN_LAT), ADDED_REAL("least"), OF_PEERS(least)},
	{COLUMN("latency_typical_most", TIME, IN_LAT), ADDED_REAL("most"), OF_PEERS(most)},
	{COLUMN("fairness", RATIO, IN_BW | IN_LAT), ADDED("fairness", ADDED_DECIMALS(4), ADDED_DECIMALS(4)),
	 OF_PEERS(fairness)},
	{COLUMN("overlap", PERCENT, IN_BW | IN_LAT), ADDED("overlap", ADDED_CELL, ADDED_CELL),
	 OF_KNOWN(overlap, percent), .all = HAS_PEERS},
	{COLUMN(NULL /* JSON and CSV always have it */, COUNT, IN_BW), ADDED_COUNT("lost"), OF(lost),
	 .all = HAS_LOSSES},
	/* From here on only in JSON and CSV. */
	{COLUMN("lost", COUNT, IN_BW | IN_BURSTS), OF(lost)},
	{
		COLUMN("iterations_local", COUNT, IN_BW),
		.value = row_iterations_of,
		.index = REPORT_OWN,
		.all = HAS_DIRECTIONS,
	},
	{
		COLUMN("iterations_remote", COUNT, IN_BW),
		.value = row_iterations_of,
		.index = REPORT_PEER,
		.all = HAS_DIRECTIONS,
	},
	{COLUMN("checked", COUNT, IN_BW | IN_LAT), OF(checked), .all = HAS_VALIDATION},
	{COLUMN("wrong", COUNT, IN_BW | IN_LAT), OF(wrong), .all = HAS_VALIDATION},
	{COLUMN("elapsed", SECONDS, IN_BW | IN_LAT | IN_LOAD | IN_RULES), OF(seconds)},
	{COLUMN("clock_error", SECONDS, IN_BW | IN_LAT), OF_KNOWN(overlap, error_s), .all = HAS_PEERS},
	{COLUMN("overlap", PERCENT, IN_BW), OF_KNOWN(overlap, percent), .all = HAS_BOTH_ALONE},
	{COLUMN("clock_error", SECONDS, IN_BW), OF_KNOWN(overlap, error_s), .all = HAS_BOTH_ALONE},
	{COLUMN("bandwidth_least_interval", BANDWIDTH, IN_BW), OF_KNOWN(worst, value), .all = HAS_INTERVALS},
	{COLUMN("least_interval_begin", SECONDS, IN_BW), OF_KNOWN(worst, begin_s), .all = HAS_INTERVALS},
	{COLUMN("latency_largest_interval", TIME, IN_LAT), OF_KNOWN(worst, value), .all = HAS_INTERVALS},
	{COLUMN("due_largest_interval", TIME, IN_LOAD), OF_KNOWN(worst, value), .all = HAS_INTERVALS},
	{COLUMN("largest_interval_begin", SECONDS, IN_LAT | IN_LOAD), OF_KNOWN(worst, begin_s), .all = HAS_INTERVALS},
	{
		COLUMN("clock_backward", COUNT, IN_LAT | IN_LOAD | IN_RULES),
		.member = MEMBER(struct latency, backward),
		.behind = MEMBER(struct report_row, latency),
	},
	{COLUMN("open_exchange", SECONDS, IN_LAT), OF(open_seconds), .zero_unknown = true},
	{COLUMN("first_arrivals", COUNT, IN_BW), OF(first_arrivals)},
};

#define NUM_COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* The bits of columns.h that apply to this run. */
static unsigned what_there_is(const struct report_config *config)
{
	const struct {
		bool is;
		unsigned bit;
	} facts[] = {
		{config->spec->bursts, IN_BURSTS},
		{config->verbs->frames.has_sl, HAS_SL},
		{config->cpu_util, HAS_CPU_UTIL},
		{config->verbs->data_validation, HAS_VALIDATION},
		{config->spec->bidirectional, HAS_DIRECTIONS},
		{config->repeats, HAS_REPEATS},
		{config->load_steps, HAS_LOAD_STEPS},
		{config->until, HAS_UNTIL},
		{config->steady, HAS_STEADY},
		{config->verbs->num_threads > 1, HAS_THREADS},
		{config->verbs->per_port, HAS_PORTS},
		{config->peers, HAS_PEERS},
		{config->spec->bidirectional && !config->peers, HAS_BOTH_ALONE},
		{config->intervals, HAS_INTERVALS},
		{config->receiver_table, HAS_LOSSES},
	};
	unsigned has = config->spec->open_loop ? IN_LOAD : 1U << config->spec->metric;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		has |= facts[i].is ? facts[i].bit : 0;
	return has;
}

struct table columns_table(const struct report_config *config)
{
	const struct unit cycles = {"cycles", "_cycles", clock_calibrate()->cycles_per_second};

	struct table table = {
		.columns = columns,
		.num_columns = NUM_COLUMNS,
		.has = what_there_is(config),
		.percentiles = config->percentiles,
		.num_percentiles = config->num_percentiles,
		.printed = {[QUANTITY_BANDWIDTH] = {"MiB/sec", "", 1 / BYTES_PER_MIB},
			    [QUANTITY_RATE] = {"Mpps", "", 1e-6},
			    [QUANTITY_TIME] = {"usec", "_usec", 1e6},
			    [QUANTITY_PERCENT] = {"%", "", 1}},
	};
	if (config->gbits)
		table.printed[QUANTITY_BANDWIDTH] = (struct unit){"Gb/sec", "", 1 / BYTES_PER_GIGABIT};
	if (config->cycles)
		table.printed[QUANTITY_TIME] = table.also[QUANTITY_TIME] = cycles;
	return table;
}

struct shortage {
	uint64_t samples;
	double from;
};

static int find_shortage(const struct column *column, void *arg)
{
	struct shortage *shortage = arg;

	if (column->percent > 0 && !histogram_supports(shortage->samples, column->percent) &&
	    (!(shortage->from > 0) || column->percent < shortage->from))
		shortage->from = column->percent;
	return 0;
}

double columns_unsupported(const struct report_config *config, uint64_t samples)
{
	const struct table table = columns_table(config);
	struct shortage shortage = {.samples = samples};

	if (samples)
		table_walk(&table, find_shortage, &shortage);
	return shortage.from;
}

struct unit columns_unit(const struct report_config *config, enum quantity quantity)
{
	const struct table table = columns_table(config);

	return table_printed_unit(&table, quantity);
}

/* --- text --- */

/* Only the average decides, as in the classic output: one layout for the whole row. */
static enum form row_form(const struct report_config *config, const struct report_row *row)
{
	if (config->spec->open_loop)
		return FORM_LOAD;
	if (config->spec->metric == METRIC_LAT)
		return config->verbs->messages ? FORM_LAT : FORM_LAT_TIME;
	if (config->spec->metric == METRIC_STEERING)
		return config->verbs->messages ? FORM_RULES : FORM_RULES_TIME;
	if (config->verbs->frames.has_sl)
		return FORM_BW_SL;
	if (config->verbs->per_port)
		return FORM_BW_PORTS;
	if (config->gbits && row && row->bw_average / BYTES_PER_GIGABIT < GBITS_FINE_BELOW)
		return FORM_BW_FINE;
	return FORM_BW;
}

#define BELOW "\n        " /* on a terminal that is too narrow */

int columns_line(FILE *to, FILE *out, const struct report_config *config, const struct report_row *row)
{
	struct table table = columns_table(config);
	char stamp[STAMP_SIZE] = "time[UTC]";
	int room;

	/* Rows of all threads are the same as without threads. */
	if (!config->thread_table)
		table.has &= ~HAS_THREADS;
	room = table_room(terminal_set_columns(out), &table, row_form(config, NULL),
			  config->timestamps ? strlen(STAMP_GAP) + strlen(stamp) : 0);
	if (row)
		table_row(to, &table, row_form(config, row), row, room);
	else
		table_heading(to, &table, row_form(config, NULL), room);
	if (config->timestamps)
		fprintf(to, "%s%s", room ? BELOW : STAMP_GAP, row ? stamp_text(&row->over, stamp) : stamp);
	if (row && row->partial)
		fprintf(to, "%s(partial)", room ? BELOW : " ");
	return room;
}

/* --- --output --- */

const struct column *columns_only(const struct report_config *config, const char **classic_key)
{
	static const struct {
		enum output_only output;
		const char *key;
		const char *classic_key;
	} choices[] = {
		{OUTPUT_BANDWIDTH, "bandwidth_average", "bw_avg"},
		{OUTPUT_MESSAGE_RATE, "message_rate", "msgRate_avg"},
		{OUTPUT_LATENCY, "latency_average", "avg_lat"},
	};
	size_t choice, i;

	for (choice = 0; choice < sizeof(choices) / sizeof(choices[0]); choice++) {
		if (choices[choice].output != config->output)
			continue;
		for (i = 0; i < NUM_COLUMNS; i++) {
			if (columns[i].key && strcmp(columns[i].key, choices[choice].key) == 0) {
				*classic_key = choices[choice].classic_key;
				return &columns[i];
			}
		}
	}
	return NULL;
}
