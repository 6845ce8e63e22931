// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * THE columns. Order, words, gaps and widths of the text are those of classic perftest 6.29,
 * because scripts cut its output by columns; what it did not have stands behind.
 */
#include "report/columns.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/stamp.h"
#include "stats/clock.h"

#define BYTES_PER_MIB	   1048576.0
#define BYTES_PER_GIGABIT  125000000.0
#define GBITS_FINE_BELOW   0.1 /* Gb/s: below it two decimals would say too little */
#define STAMP_GAP	   "   "
#define MAX_CELL	   64	/* bytes of one number; %f of the largest counts fits */
#define TYPICAL_PERCENTILE 50.0 /* "typical" is the median */

static double row_size(const struct report_row *row, double percent)
{
	(void)percent;
	return (double)row->size;
}

static double row_iterations(const struct report_row *row, double percent)
{
	(void)percent;
	return (double)row->iterations;
}

static double row_seconds(const struct report_row *row, double percent)
{
	(void)percent;
	return row->seconds;
}

static double row_bw_peak(const struct report_row *row, double percent)
{
	(void)percent;
	return row->bw_peak;
}

static double row_bw_average(const struct report_row *row, double percent)
{
	(void)percent;
	return row->bw_average;
}

static double row_message_rate(const struct report_row *row, double percent)
{
	(void)percent;
	return row->message_rate;
}

static double row_lost(const struct report_row *row, double percent)
{
	(void)percent;
	return (double)row->lost;
}

static double row_checked(const struct report_row *row, double percent)
{
	(void)percent;
	return (double)row->checked;
}

static double row_wrong(const struct report_row *row, double percent)
{
	(void)percent;
	return (double)row->wrong;
}

/* The classic "tps": iterations of the ping-pong, whatever part of it the latency columns show. */
static double row_transactions(const struct report_row *row, double percent)
{
	(void)percent;
	return row->seconds > 0 ? (double)row->iterations / row->seconds : NAN;
}

static double row_cpu_percent(const struct report_row *row, double percent)
{
	(void)percent;
	return row->cpu_percent;
}

static double row_open(const struct report_row *row, double percent)
{
	(void)percent;
	return row->open_seconds;
}

static double row_backward(const struct report_row *row, double percent)
{
	(void)percent;
	return row->latency ? (double)row->latency->backward : 0;
}

static double part_of_round_trip(const struct report_row *row, double cycles)
{
	return row->rtt_factor ? cycles / row->rtt_factor : cycles;
}

static double row_min(const struct report_row *row, double percent)
{
	(void)percent;
	return part_of_round_trip(row, (double)row->latency->min);
}

static double row_max(const struct report_row *row, double percent)
{
	(void)percent;
	return part_of_round_trip(row, (double)row->latency->max);
}

static double row_mean(const struct report_row *row, double percent)
{
	(void)percent;
	return part_of_round_trip(row, latency_mean(row->latency));
}

static double row_stdev(const struct report_row *row, double percent)
{
	(void)percent;
	return part_of_round_trip(row, latency_stdev(row->latency));
}

static double row_percentile(const struct report_row *row, double percent)
{
	return part_of_round_trip(row, latency_percentile(row->latency, percent));
}

/* The median of few samples is still a median: "typical" is never marked. */
static double row_typical(const struct report_row *row, double percent)
{
	(void)percent;
	return row_percentile(row, TYPICAL_PERCENTILE);
}

/* Where forms lay the same column out alike, the row says it once. */
#define BW_HEAD_GAP(text)	 [FORM_BW] = (text), [FORM_BW_FINE] = (text)
#define LAT_HEAD_GAPS(lat, time) .head_gap = {[FORM_LAT] = (lat), [FORM_LAT_TIME] = (time)}

#define CELL(text, least, decimals)                                                                                    \
	{                                                                                                              \
		.gap = (text), .width = (least), .precision = (decimals)                                               \
	}
/* What classic perftest leaves out of a latency row by time. */
#define ADDED_HEAD_GAP "    "
#define ADDED_CELL                                                                                                     \
	{                                                                                                              \
		.gap = "        ", .width = 7, .precision = 2, .added = true                                           \
	}

static const struct column columns[] = {
	{
		.key = "size",
		.classic = "MsgSize",
		.quantity = QUANTITY_BYTES,
		.metrics = IN_BW | IN_LAT,
		.head = "#bytes",
		.head_gap = {BW_HEAD_GAP(" "), [FORM_LAT] = " ", [FORM_LAT_TIME] = " "},
		.cells = {[FORM_BW] = CELL(" ", 7, 0),
			  [FORM_BW_FINE] = CELL(" ", 7, 0),
			  [FORM_LAT] = CELL(" ", 7, 0),
			  [FORM_LAT_TIME] = CELL(" ", 7, 0)},
		.value = row_size,
	},
	{
		.key = "iterations",
		.classic = "n_iterations",
		.quantity = QUANTITY_COUNT,
		.metrics = IN_BW | IN_LAT,
		.head = "#iterations",
		.head_gap = {BW_HEAD_GAP("     "), [FORM_LAT] = " ", [FORM_LAT_TIME] = "        "},
		.cells = {[FORM_BW] = CELL("    ", 10, 0),
			  [FORM_BW_FINE] = CELL("    ", 0, 0),
			  [FORM_LAT] = CELL(" ", 0, 0),
			  [FORM_LAT_TIME] = CELL("       ", 0, 0)},
		.value = row_iterations,
	},
	{
		.key = "bandwidth_peak",
		.classic = "BW_peak",
		.quantity = QUANTITY_BANDWIDTH,
		.metrics = IN_BW,
		.head = "BW peak",
		.head_gap = {BW_HEAD_GAP("    ")},
		.cells = {[FORM_BW] = CELL("       ", 7, 2), [FORM_BW_FINE] = CELL("           ", 7, 6)},
		.value = row_bw_peak,
		.zero_unknown = true,
	},
	{
		.key = "bandwidth_average",
		.classic = "BW_average",
		.quantity = QUANTITY_BANDWIDTH,
		.metrics = IN_BW,
		.head = "BW average",
		.head_gap = {BW_HEAD_GAP("    ")},
		.cells = {[FORM_BW] = CELL("            ", 7, 2), [FORM_BW_FINE] = CELL("            ", 7, 6)},
		.value = row_bw_average,
	},
	{
		.key = "message_rate",
		.classic = "MsgRate",
		.quantity = QUANTITY_RATE,
		.metrics = IN_BW,
		.head = "MsgRate",
		.head_gap = {BW_HEAD_GAP("   ")},
		.cells = {[FORM_BW] = CELL("\t\t     ", 7, 6), [FORM_BW_FINE] = CELL("            ", 7, 6)},
		.value = row_message_rate,
	},
	{
		.key = "latency_min",
		.classic = "t_min",
		.quantity = QUANTITY_TIME,
		.metrics = IN_LAT,
		.head = "t_min",
		LAT_HEAD_GAPS("    ", ADDED_HEAD_GAP),
		.cells = {[FORM_LAT] = CELL("          ", 7, 2), [FORM_LAT_TIME] = ADDED_CELL},
		.value = row_min,
	},
	{
		.key = "latency_max",
		.classic = "t_max",
		.quantity = QUANTITY_TIME,
		.metrics = IN_LAT,
		.head = "t_max",
		LAT_HEAD_GAPS("    ", ADDED_HEAD_GAP),
		.cells = {[FORM_LAT] = CELL("        ", 7, 2), [FORM_LAT_TIME] = ADDED_CELL},
		.value = row_max,
	},
	{
		.key = "latency_typical",
		.classic = "t_typical",
		.quantity = QUANTITY_TIME,
		.metrics = IN_LAT,
		.head = "t_typical",
		LAT_HEAD_GAPS("  ", ADDED_HEAD_GAP),
		.cells = {[FORM_LAT] = CELL("      ", 7, 2), [FORM_LAT_TIME] = ADDED_CELL},
		.value = row_typical,
	},
	{
		.key = "latency_average",
		.classic = "t_avg",
		.quantity = QUANTITY_TIME,
		.metrics = IN_LAT,
		.head = "t_avg",
		LAT_HEAD_GAPS("    ", "       "),
		.cells = {[FORM_LAT] = CELL("  \t       ", 7, 2), [FORM_LAT_TIME] = CELL("            ", 7, 2)},
		.value = row_mean,
	},
	{
		.key = "latency_stdev",
		.classic = "t_stdev",
		.quantity = QUANTITY_TIME,
		.metrics = IN_LAT,
		.head = "t_stdev",
		LAT_HEAD_GAPS("    ", ADDED_HEAD_GAP),
		.cells = {[FORM_LAT] = CELL("     \t", 7, 2), [FORM_LAT_TIME] = ADDED_CELL},
		.value = row_stdev,
	},
	{
		.key = "latency_percentile",
		.classic = "percentile_99",
		.quantity = QUANTITY_TIME,
		.metrics = IN_LAT,
		.head = "percentile",
		LAT_HEAD_GAPS("   ", ADDED_HEAD_GAP),
		.cells = {[FORM_LAT] = CELL("\t\t", 7, 2), [FORM_LAT_TIME] = ADDED_CELL},
		.value = row_percentile,
		.percent = 99,
	},
	{
		.key = "latency_percentile",
		.classic = "percentile_99.9",
		.quantity = QUANTITY_TIME,
		.metrics = IN_LAT,
		.head = "percentile",
		LAT_HEAD_GAPS("   ", ADDED_HEAD_GAP),
		.head_end = {[FORM_LAT] = " "},
		.cells = {[FORM_LAT] = CELL(" \t\t", 7, 2), [FORM_LAT_TIME] = ADDED_CELL},
		.value = row_percentile,
		.percent = 99.9,
	},
	{
		.key = "latency_percentile",
		.quantity = QUANTITY_TIME,
		.metrics = IN_LAT,
		.head = "percentile",
		LAT_HEAD_GAPS("  ", ADDED_HEAD_GAP),
		.head_end = {[FORM_LAT] = " "},
		.cells = {[FORM_LAT] = {.gap = " \t\t", .width = 7, .precision = 2, .added = true},
			  [FORM_LAT_TIME] = ADDED_CELL},
		.value = row_percentile,
		.per_percentile = true,
	},
	{
		.key = "transactions",
		.classic = "tps_average",
		.quantity = QUANTITY_TPS,
		.metrics = IN_LAT,
		.head = "tps average",
		.head_gap = {[FORM_LAT_TIME] = "    "},
		.cells = {[FORM_LAT_TIME] = CELL("        ", 7, 2)},
		.value = row_transactions,
	},
	{
		.key = "cpu_util",
		.classic = "CPU_util",
		.quantity = QUANTITY_PERCENT,
		.metrics = IN_BW | IN_LAT,
		.head = "CPU_Util",
		.head_gap = {BW_HEAD_GAP("    "), [FORM_LAT] = "    ", [FORM_LAT_TIME] = "    "},
		.cells = {[FORM_BW] = CELL("\t    ", 3, 2),
			  [FORM_BW_FINE] = CELL("\t    ", 3, 2),
			  [FORM_LAT] = CELL("\t    ", 3, 2),
			  [FORM_LAT_TIME] = CELL("\t    ", 3, 2)},
		.value = row_cpu_percent,
		.only_cpu_util = true,
	},
	/* From here on in JSON and CSV only. */
	{
		.key = "lost",
		.quantity = QUANTITY_COUNT,
		.metrics = IN_BW,
		.value = row_lost,
	},
	{
		.key = "checked",
		.quantity = QUANTITY_COUNT,
		.metrics = IN_BW | IN_LAT,
		.value = row_checked,
		.only_validation = true,
	},
	{
		.key = "wrong",
		.quantity = QUANTITY_COUNT,
		.metrics = IN_BW | IN_LAT,
		.value = row_wrong,
		.only_validation = true,
	},
	{
		.key = "elapsed",
		.quantity = QUANTITY_SECONDS,
		.metrics = IN_BW | IN_LAT,
		.value = row_seconds,
	},
	{
		.key = "clock_backward",
		.quantity = QUANTITY_COUNT,
		.metrics = IN_LAT,
		.value = row_backward,
	},
	{
		.key = "open_exchange",
		.quantity = QUANTITY_SECONDS,
		.metrics = IN_LAT,
		.value = row_open,
		.zero_unknown = true,
	},
};

#define NUM_COLUMNS (sizeof(columns) / sizeof(columns[0]))

int columns_walk(const struct params *params, column_fn visit, void *arg)
{
	unsigned metric = 1U << params->program->metric;
	size_t i;
	unsigned n;
	int err;

	for (i = 0; i < NUM_COLUMNS; i++) {
		if (!(columns[i].metrics & metric) || (columns[i].only_cpu_util && !params->cpu_util) ||
		    (columns[i].only_validation && !params->data_validation))
			continue;
		if (!columns[i].per_percentile) {
			err = visit(&columns[i], arg);
			if (err)
				return err;
			continue;
		}
		for (n = 0; n < params->num_percentiles; n++) {
			struct column asked = columns[i];

			asked.percent = params->percentiles[n];
			err = visit(&asked, arg);
			if (err)
				return err;
		}
	}
	return 0;
}

/* A latency row without a single sample has no figures at all. */
static bool has_samples(const struct report_row *row)
{
	return row->latency && row->latency->histogram.count > 0;
}

struct value columns_value(const struct column *column, const struct report_row *row)
{
	struct value value = {.known = true, .supported = true};

	if (column->quantity == QUANTITY_TIME && !has_samples(row))
		return (struct value){.supported = true};
	value.number = column->value(row, column->percent);
	if (column->percent > 0)
		value.supported = histogram_supports(row->latency->histogram.count, column->percent);
	if ((column->zero_unknown && value.number == 0) || (column->only_cpu_util && value.number < 0) ||
	    !isfinite(value.number))
		return (struct value){.supported = value.supported};
	return value;
}

static struct unit time_unit(bool cycles)
{
	if (cycles)
		return (struct unit){"cycles", "_cycles", 1};
	return (struct unit){"usec", "_usec", clock_cycles_to_ns(1) / 1e3};
}

struct unit columns_printed_unit(enum quantity quantity, const struct params *params)
{
	switch (quantity) {
	case QUANTITY_BANDWIDTH:
		if (params->report_gbits)
			return (struct unit){"Gb/sec", "", 1 / BYTES_PER_GIGABIT};
		return (struct unit){"MiB/sec", "", 1 / BYTES_PER_MIB};
	case QUANTITY_RATE:
		return (struct unit){"Mpps", "", 1e-6};
	case QUANTITY_TIME:
		return time_unit(params->report_cycles);
	case QUANTITY_PERCENT:
		return (struct unit){"%", "", 1};
	default:
		return (struct unit){"", "", 1};
	}
}

bool columns_data_unit(enum quantity quantity, const struct params *params, unsigned n, struct unit *unit)
{
	if (n > (quantity == QUANTITY_TIME && params->report_cycles ? 1U : 0U))
		return false;
	switch (quantity) {
	case QUANTITY_BYTES:
		*unit = (struct unit){"", "_bytes", 1};
		break;
	case QUANTITY_SECONDS:
		*unit = (struct unit){"", "_seconds", 1};
		break;
	case QUANTITY_BANDWIDTH:
		*unit = (struct unit){"", "_bytes_per_second", 1};
		break;
	case QUANTITY_RATE:
	case QUANTITY_TPS:
		*unit = (struct unit){"", "_per_second", 1};
		break;
	case QUANTITY_TIME:
		*unit = time_unit(n == 1);
		break;
	case QUANTITY_PERCENT:
		*unit = (struct unit){"", "_percent", 1};
		break;
	case QUANTITY_COUNT:
		*unit = (struct unit){"", "", 1};
		break;
	}
	return true;
}

void columns_key(const struct column *column, const struct unit *unit, char *key, size_t key_size)
{
	if (column->percent > 0)
		snprintf(key, key_size, "%s_%.10g%s", column->key, column->percent, unit->suffix);
	else
		snprintf(key, key_size, "%s%s", column->key, unit->suffix);
}

/* The classic percentiles are there always; params keeps each asked one once. */
bool columns_is_repeated(const struct column *column)
{
	size_t i;

	for (i = 0; column->per_percentile && i < NUM_COLUMNS; i++) {
		if (columns[i].percent == column->percent)
			return true;
	}
	return false;
}

/* --- text --- */

struct line {
	FILE *out;
	const struct params *params;
	const struct report_row *row;
	enum form form;
	bool added; /* of the two walks over the columns, the one for those that are ours */
};

/* Only the average decides, as in the classic output: one form for the whole row. */
static enum form row_form(const struct params *params, const struct report_row *row)
{
	if (params->program->metric == METRIC_LAT)
		return params_by_time(params) ? FORM_LAT_TIME : FORM_LAT;
	if (params->report_gbits && row && row->bw_average / BYTES_PER_GIGABIT < GBITS_FINE_BELOW)
		return FORM_BW_FINE;
	return FORM_BW;
}

static bool is_due(const struct line *line, const struct column *column)
{
	const struct cell *cell = &column->cells[line->form];

	return cell->gap && cell->added == line->added;
}

static int print_head(const struct column *column, void *arg)
{
	struct line *line = arg;
	struct unit unit = columns_printed_unit(column->quantity, line->params);

	if (!is_due(line, column))
		return 0;
	fputs(column->head_gap[line->form], line->out);
	if (column->percent > 0)
		fprintf(line->out, "%.10g%% ", column->percent);
	fputs(column->head, line->out);
	if (unit.label[0])
		fprintf(line->out, "[%s]", unit.label);
	fputs(column->head_end[line->form] ? column->head_end[line->form] : "", line->out);
	return 0;
}

static int print_cell(const struct column *column, void *arg)
{
	struct line *line = arg;
	const struct cell *cell = &column->cells[line->form];
	struct unit unit = columns_printed_unit(column->quantity, line->params);
	struct value value = columns_value(column, line->row);
	char number[MAX_CELL];

	if (!is_due(line, column))
		return 0;
	/*
	 * The classic output shows a peak that was not measured as 0.00; nothing else may pass for a figure. "nan" is
	 * still a number to strtod() and to float().
	 */
	if (!value.known && !column->zero_unknown)
		value.number = NAN;
	snprintf(number, sizeof(number), "%.*f", cell->precision, value.number * unit.scale);
	fprintf(line->out, "%s%-*s", cell->gap, cell->width, number);
	return 0;
}

static char *columns_line(struct line *line, column_fn print)
{
	char stamp[STAMP_SIZE];
	char *text = NULL;
	size_t size = 0;

	line->out = open_memstream(&text, &size);
	if (!line->out)
		return NULL;
	columns_walk(line->params, print, line);
	line->added = true;
	columns_walk(line->params, print, line);
	if (line->params->timestamps)
		fprintf(line->out, STAMP_GAP "%s", line->row ? stamp_text(&line->row->over, stamp) : "time[UTC]");
	if (line->row && line->row->partial)
		fputs(" (partial)", line->out);
	if (fclose(line->out)) {
		free(text);
		return NULL;
	}
	return text;
}

char *columns_heading(const struct params *params)
{
	struct line line = {.params = params, .form = row_form(params, NULL)};

	return columns_line(&line, print_head);
}

char *columns_row(const struct params *params, const struct report_row *row)
{
	struct line line = {.params = params, .row = row, .form = row_form(params, row)};

	return columns_line(&line, print_cell);
}

/* --- --output --- */

const struct column *columns_only(const struct params *params, const char **classic_key)
{
	static const struct {
		enum output_only output;
		double (*value)(const struct report_row *row, double percent);
		const char *classic_key;
	} choices[] = {
		{OUTPUT_BANDWIDTH, row_bw_average, "bw_avg"},
		{OUTPUT_MESSAGE_RATE, row_message_rate, "msgRate_avg"},
		{OUTPUT_LATENCY, row_mean, "avg_lat"},
	};
	size_t choice, i;

	for (choice = 0; choice < sizeof(choices) / sizeof(choices[0]); choice++) {
		if (choices[choice].output != params->output)
			continue;
		for (i = 0; i < NUM_COLUMNS; i++) {
			if (columns[i].value == choices[choice].value) {
				*classic_key = choices[choice].classic_key;
				return &columns[i];
			}
		}
	}
	return NULL;
}
