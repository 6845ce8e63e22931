// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Formats results as text. See text.h. */
#include "qperf/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qperf/options/options.h"
#include "stats/clock.h"
#include "stats/histogram.h"
#include "stats/latency.h"

#define MAX_ROWS 96
#define NUM_ENDS 2

/* --- values --- */

/* The units of a quantity, each 1000 times the previous one; the first is that of -uu. */
struct scale {
	double factor; /* converts a value to the first unit */
	const char *units[6];
};

static const struct scale scales[] = {
	[TEXT_TIME] = {1e9, {"ns", "us", "ms", "sec"}},
	[TEXT_RATE] = {1, {"/sec", "K/sec", "M/sec", "G/sec", "T/sec"}},
	[TEXT_BANDWIDTH] = {1, {"bytes/sec", "KB/sec", "MB/sec", "GB/sec", "TB/sec"}},
	[TEXT_COST] = {1e9, {"ns/GB", "us/GB", "ms/GB", "sec/GB"}},
	[TEXT_CPUS] = {100, {"% cpus"}},
	[TEXT_COUNT] = {1, {""}},
	[TEXT_SIZE] = {1, {"bytes", "KB", "MB", "GB", "TB"}},
	[TEXT_PERCENT] = {100, {"%"}},
};

static const struct scale bits_scale = {8, {"bits/sec", "Kb/sec", "Mb/sec", "Gb/sec", "Tb/sec"}};
static const struct scale large_counts = {1e-6, {"million", "billion", "trillion"}};

/* "1234567.5" to "1,234,567.5" */
static void add_commas(char *digits)
{
	char plain[TEXT_VALUE_SIZE];
	size_t whole, out = 0;

	snprintf(plain, sizeof(plain), "%s", digits);
	whole = strcspn(plain, ".");
	for (size_t i = 0; plain[i] && out + 2 < TEXT_VALUE_SIZE; i++) {
		if (i && i < whole && (whole - i) % 3 == 0)
			digits[out++] = ',';
		digits[out++] = plain[i];
	}
	digits[out] = '\0';
}

/* All digits before the decimal point, and after it as many as the precision leaves, without trailing zeros. */
static void put_digits(double value, const struct style *style, char digits[TEXT_VALUE_SIZE])
{
	const int whole = snprintf(digits, TEXT_VALUE_SIZE, "%.0f", value);
	const int precision = (int)style->precision;
	size_t length;

	if (whole < precision) {
		snprintf(digits, TEXT_VALUE_SIZE, "%.*f", precision - whole, value);
		length = strlen(digits);
		while (digits[length - 1] == '0')
			length--;
		if (digits[length - 1] == '.')
			length--;
		digits[length] = '\0';
	}
	if (!style->unify_units)
		add_commas(digits);
}

static void put_scaled(double value, const struct scale *scale, const struct style *style, struct text_value *text)
{
	unsigned n = 0;

	value *= scale->factor;
	while (!style->unify_units && value >= 1000 && scale->units[n + 1]) {
		value /= 1000;
		n++;
	}
	put_digits(value, style, text->digits);
	text->unit = scale->units[n];
}

/* 65536 as "64 KiB (65,536)": in the largest unit that it reaches, if it is a whole number of that. */
static bool put_binary(double value, const struct style *style, struct text_value *text)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
	const struct style whole = {.precision = 1};
	char exact[TEXT_VALUE_SIZE];
	double rest = value;
	int n = -1;

	while (rest >= 1024 && n + 1 < 4) {
		if (fmod(rest, 1024) != 0)
			return false;
		rest /= 1024;
		n++;
	}
	if (n < 0)
		return false;
	put_digits(rest, style, text->digits);
	text->unit = units[n];
	put_digits(value, &whole, exact);
	snprintf(text->exact, sizeof(text->exact), "%.31s", exact);
	return true;
}

void text_format(enum text_kind kind, double value, const struct style *style, struct text_value *text)
{
	const struct scale *scale = kind == TEXT_BANDWIDTH && style->bits ? &bits_scale : &scales[kind];

	text->exact[0] = '\0';
	if (kind == TEXT_SIZE && !style->unify_units && put_binary(value, style, text))
		return;
	if (kind == TEXT_COUNT && !style->unify_units && value >= 1e6)
		scale = &large_counts;
	put_scaled(value, scale, style, text);
}

/* --- rows --- */

struct text_row {
	char name[48];
	bool is_text; /* digits has a text without a unit */
	struct text_value value;
};

struct text_table {
	const struct style *style;
	unsigned count;
	struct text_row rows[MAX_ROWS];
};

/* A static table, since allocating one could fail when the results are there. */
static struct text_table *table_begin(const struct style *style)
{
	static struct text_table table;

	memset(&table, 0, sizeof(table));
	table.style = style;
	return &table;
}

static struct text_row *add_row(struct text_table *table, const char *prefix, const char *name)
{
	struct text_row *row;

	if (table->count == MAX_ROWS)
		return NULL;
	row = &table->rows[table->count++];
	snprintf(row->name, sizeof(row->name), "%s%s", prefix, name);
	return row;
}

static void add_value(struct text_table *table, enum text_kind kind, const char *prefix, const char *name, double value)
{
	struct text_row *row = add_row(table, prefix, name);

	if (row)
		text_format(kind, value, table->style, &row->value);
}

/* Rows after the first one are omitted if they have no value, or no prefix. */
static void add_known(struct text_table *table, enum text_kind kind, const char *prefix, const char *name, double value)
{
	if (value > 0 && prefix)
		add_value(table, kind, prefix, name, value);
}

static void add_text_row(struct text_table *table, const char *prefix, const char *name, const char *word)
{
	struct text_row *row = word[0] ? add_row(table, prefix, name) : NULL;

	if (row) {
		row->is_text = true;
		snprintf(row->value.digits, sizeof(row->value.digits), "%s", word);
	}
}

static void table_print(FILE *out, const struct text_table *table)
{
	int name_width = 0, value_width = 0;

	for (unsigned i = 0; i < table->count; i++) {
		const int name = (int)strlen(table->rows[i].name), value = (int)strlen(table->rows[i].value.digits);

		name_width = name > name_width ? name : name_width;
		if (!table->rows[i].is_text && value > value_width)
			value_width = value;
	}
	for (unsigned i = 0; i < table->count; i++) {
		const struct text_row *row = &table->rows[i];

		fprintf(out, "    %-*s  =  ", name_width, row->name);
		if (row->is_text)
			fprintf(out, "%s", row->value.digits);
		else
			fprintf(out, "%*s %s", value_width, row->value.digits, row->value.unit);
		if (!row->is_text && row->value.exact[0])
			fprintf(out, " (%s)", row->value.exact);
		fputc('\n', out);
	}
}

/* --- parameters: -vu, -vvu --- */

static void add_parameter(struct text_table *table, const char *prefix, enum parameter parameter,
			  const struct qperf_side *side)
{
	const struct opt_row *row = option_of(parameter);
	const char *shown = option_own(row)->shown, *name = shown ? shown : row->long_name;
	const char *text = side_text((struct qperf_side *)side, parameter);
	const uint64_t number = side->number[parameter];

	if (row->kind == OPT_CHOICE && number)
		text = row->choices[number].word;
	if (text)
		add_text_row(table, prefix, name, text);
	else if (parameter == PARAM_AFFINITY && number)
		add_value(table, TEXT_COUNT, prefix, name, (double)(number - 1));
	else if (row->kind == OPT_TIME)
		add_known(table, TEXT_TIME, prefix, name, (double)number / (double)NS_PER_S);
	else
		add_known(table, row->kind == OPT_SIZE ? TEXT_SIZE : TEXT_COUNT, prefix, name, (double)number);
}

static bool same_value(const struct qperf_params *params, enum parameter parameter)
{
	const char *local = side_text((struct qperf_side *)&params->local, parameter);

	if (local)
		return strcmp(local, side_text((struct qperf_side *)&params->remote, parameter)) == 0;
	return params->local.number[parameter] == params->remote.number[parameter];
}

static void add_used(struct text_table *table, const struct test_row *test, const struct qperf_params *params)
{
	const unsigned level = params->style.verbose[VERBOSE_USED];
	const uint32_t given = params->given_local | params->given_remote;

	for (enum parameter p = 0; level && p < NUM_PARAMETERS; p++) {
		if (!(test->uses & PARAM_BIT(p)) || (level < 2 && !(given & PARAM_BIT(p))))
			continue;
		if (p == PARAM_STATIC_RATE && !(given & PARAM_BIT(p)))
			continue;
		if (same_value(params, p)) {
			add_parameter(table, "", p, &params->local);
		} else {
			add_parameter(table, "loc_", p, &params->local);
			add_parameter(table, "rem_", p, &params->remote);
		}
	}
}

/* --- the sides --- */

struct text_side {
	const char *prefix;
	const char *sent; /* of the counters; NULL: it has none */
	const char *received;
	const struct node *node;
	const struct account *account;
};

static void add_times(struct text_table *table, const struct text_side *end)
{
	const struct node *node = end->node;
	const unsigned level = table->style->verbose[VERBOSE_TIME];

	if (level >= 1)
		add_known(table, TEXT_CPUS, end->prefix, "cpus_used", node->cpus_used);
	if (level < 2)
		return;
	add_known(table, TEXT_CPUS, end->prefix, "cpus_user", node->cpus_user);
	add_known(table, TEXT_CPUS, end->prefix, "cpus_intr", node->cpus_intr);
	add_known(table, TEXT_CPUS, end->prefix, "cpus_kernel", node->cpus_kernel);
	add_known(table, TEXT_CPUS, end->prefix, "cpus_iowait", node->cpus_iowait);
	add_known(table, TEXT_TIME, end->prefix, "real_time", end->account->elapsed_s);
	add_known(table, TEXT_TIME, end->prefix, "cpu_time", node->cpu_s);
}

static void add_counters(struct text_table *table, const struct text_side *end)
{
	const struct tally *sent = &end->node->sent, *received = &end->node->received;

	if (table->style->verbose[VERBOSE_STAT] < 2)
		return;
	add_known(table, TEXT_COUNT, end->sent, "errors", (double)sent->errors);
	add_known(table, TEXT_COUNT, end->received, "errors", (double)received->errors);
	add_known(table, TEXT_SIZE, end->sent, "bytes", (double)sent->bytes);
	add_known(table, TEXT_SIZE, end->received, "bytes", (double)received->bytes);
	add_known(table, TEXT_COUNT, end->sent, "msgs", (double)sent->msgs);
	add_known(table, TEXT_COUNT, end->received, "msgs", (double)received->msgs);
	add_known(table, TEXT_COUNT, end->prefix, "max_cqe", end->account->max_cqes);
}

/* Which side is first: the sender if only one side sends, otherwise the client. */
static void choose_ends(const struct figures *figures, bool unify, struct text_side ends[NUM_ENDS])
{
	const struct node *l = &figures->local, *r = &figures->remote;
	const bool out = l->sent.bytes && !l->received.bytes && !r->sent.bytes && r->received.bytes;
	const bool in = !l->sent.bytes && l->received.bytes && r->sent.bytes && !r->received.bytes;

	ends[0] = (struct text_side){"loc_", "loc_send_", "loc_recv_", l, &figures->local_account};
	ends[1] = (struct text_side){"rem_", "rem_send_", "rem_recv_", r, &figures->remote_account};
	if (unify || !(out || in))
		return;
	ends[0] = (struct text_side){"send_", "send_", NULL, out ? l : r,
				     out ? &figures->local_account : &figures->remote_account};
	ends[1] = (struct text_side){"recv_", NULL, "recv_", out ? r : l,
				     out ? &figures->remote_account : &figures->local_account};
}

/* --- not in 0.4.11 --- */

static void add_percentiles(struct text_table *table, const struct figures *figures)
{
	const struct latency *samples = figures->samples;
	char name[16];

	if (!samples || !samples->histogram.count)
		return;
	add_value(table, TEXT_TIME, "", "min", latency_seconds(samples, samples->min));
	for (unsigned i = 0; i < FIGURES_PERCENTILES; i++) {
		snprintf(name, sizeof(name), "p%g", figures_percentiles[i]);
		add_known(table, TEXT_TIME, "", name, figures_percentile_s(figures, figures_percentiles[i]));
	}
	add_value(table, TEXT_TIME, "", "max", latency_seconds(samples, samples->max));
	add_known(table, TEXT_TIME, "", "open_exchange", figures->open_s);
}

static void add_details(struct text_table *table, const struct text_side *end)
{
	const struct account *account = end->account;

	if (!account->has_details) {
		add_text_row(table, end->prefix, "details", "not reported by qperf 0.4.11");
		return;
	}
	add_text_row(table, end->prefix, "wait", account->spins ? "spins" : "sleeps");
	add_text_row(table, end->prefix, "calls", account->how);
	if (account->no_counter)
		add_text_row(table, end->prefix, "clock", CLOCK_FALLBACK_TEXT);
	if (account->elapsed_s > 0) {
		add_value(table, TEXT_CPUS, end->prefix, "process_user", account->process_user_s / account->elapsed_s);
		add_value(table, TEXT_CPUS, end->prefix, "process_kernel",
			  account->process_kernel_s / account->elapsed_s);
	}
	add_value(table, TEXT_COUNT, end->prefix, "switches", (double)account->switches);
	add_known(table, TEXT_TIME, end->prefix, "run_delay", account->run_delay_s);
	add_text_row(table, end->prefix, "congestion", account->congestion);
	if (account->congestion[0]) {
		add_value(table, TEXT_COUNT, end->prefix, "retransmits", (double)account->retransmits);
		add_known(table, TEXT_TIME, end->prefix, "rtt", account->rtt_s);
		add_known(table, TEXT_COUNT, end->prefix, "cwnd", (double)account->cwnd);
	}
	add_known(table, TEXT_COUNT, end->prefix, "copied", (double)account->copied);
}

static void add_lost(struct text_table *table, const struct test_row *test, const struct figures *figures)
{
	const struct account *l = &figures->local_account, *r = &figures->remote_account;
	const uint64_t sent = figures->local.sent.msgs + figures->remote.sent.msgs + l->late_sent + r->late_sent;

	if (!test_loses(test) || (test->measure != MEASURE_LATENCY && !sent))
		return;
	add_value(table, TEXT_COUNT, "", "lost", (double)figures->lost);
	if (test->measure == MEASURE_LATENCY)
		return;
	add_value(table, TEXT_PERCENT, "", "lost_share", (double)figures->lost / (double)sent);
	add_known(table, TEXT_COUNT, "", "sent_late", (double)(l->late_sent + r->late_sent));
	add_known(table, TEXT_COUNT, "", "late", (double)(l->late_received + r->late_received));
}

/* --- all together --- */

#define PRIMARY(name, kind, member, ...)                                                                               \
	{                                                                                                              \
		name, kind, offsetof(struct figures, member), __VA_ARGS__                                              \
	}
#define OF_BANDWIDTH "bandwidth_bytes_per_second", "bandwidth_average", "_bytes_per_second", 1

const struct primary text_primaries[] = {
	[MEASURE_LATENCY] = PRIMARY("latency", TEXT_TIME, latency_s, "latency_usec", "latency_average", "_usec", 1e6),
	[MEASURE_RATE] =
		PRIMARY("msg_rate", TEXT_RATE, rate, "message_rate_per_second", "message_rate", "_per_second", 1),
	[MEASURE_BANDWIDTH] = PRIMARY("bw", TEXT_BANDWIDTH, recv_bandwidth, OF_BANDWIDTH),
	[MEASURE_BANDWIDTHS] = PRIMARY("recv_bw", TEXT_BANDWIDTH, recv_bandwidth, OF_BANDWIDTH),
};

double text_primary_value(const struct test_row *test, const struct figures *figures)
{
	return *(const double *)((const char *)figures + text_primaries[test->measure].member);
}

/* Nothing was answered: that is no latency. But a bandwidth of 0 is one. */
static void add_primary(struct text_table *table, const struct test_row *test, const char *name, double value)
{
	if (test->measure == MEASURE_LATENCY && !(value > 0))
		add_text_row(table, "", name, "none");
	else
		add_value(table, text_primaries[test->measure].kind, "", name, value);
}

static void add_cpu_util(struct text_table *table, const struct style *style, double percent)
{
	if (style->cpu_util && !isnan(percent))
		add_value(table, TEXT_PERCENT, "", "cpu_util", percent / 100);
}

void text_conf(FILE *out, const struct conf *local, const struct conf *remote)
{
	const struct style style = {.precision = 3};
	struct text_table *table = table_begin(&style);
	const struct conf *confs[NUM_ENDS] = {local, remote};
	const char *const prefixes[NUM_ENDS] = {"loc_", "rem_"};

	for (unsigned i = 0; i < NUM_ENDS; i++) {
		add_text_row(table, prefixes[i], "node", confs[i]->node);
		add_text_row(table, prefixes[i], "cpu", confs[i]->cpu);
		add_text_row(table, prefixes[i], "os", confs[i]->os);
		add_text_row(table, prefixes[i], "qperf", confs[i]->qperf);
	}
	table_print(out, table);
}

void text_result(FILE *out, const struct test_row *test, const struct qperf_params *params,
		 const struct figures *figures, const char *possible, const char *time)
{
	const struct style *style = &params->style;
	struct text_table *table = table_begin(style);
	const unsigned num_ends = figures->one_sided ? 1 : NUM_ENDS; /* the client's is the first */
	struct text_side ends[NUM_ENDS];
	const char *primary = text_primaries[test->measure].name;

	choose_ends(figures, style->unify_nodes, ends);
	/* What one side alone cannot know is not shown as 0. */
	if (test->measure == MEASURE_BANDWIDTHS && !figures->one_sided)
		add_value(table, TEXT_BANDWIDTH, "", "send_bw", figures->send_bandwidth);
	else if (test->measure == MEASURE_BANDWIDTHS ||
		 (test->measure == MEASURE_BANDWIDTH && figures->one_sided && !(figures->recv_bandwidth > 0)))
		add_known(table, TEXT_BANDWIDTH, "", "send_bw", figures->send_bandwidth);
	if (!figures->one_sided || text_primary_value(test, figures) > 0)
		add_primary(table, test, primary, text_primary_value(test, figures));
	if (style->verbose[VERBOSE_STAT] && test->measure != MEASURE_RATE)
		add_known(table, TEXT_RATE, "", "msg_rate", figures->rate);
	add_used(table, test, params);
	if (style->verbose[VERBOSE_TIME]) {
		add_known(table, TEXT_COST, "", "send_cost", figures->send_cost);
		add_known(table, TEXT_COST, "", "recv_cost", figures->recv_cost);
	}
	for (unsigned i = 0; i < num_ends; i++) {
		add_times(table, &ends[i]);
		add_counters(table, &ends[i]);
	}
	if (style->details) {
		add_percentiles(table, figures);
		if (!figures->one_sided || test->measure == MEASURE_LATENCY)
			add_lost(table, test, figures);
		for (unsigned i = 0; i < num_ends; i++)
			add_details(table, &ends[i]);
	}
	add_cpu_util(table, style, figures->cpu_percent);
	add_text_row(table, "", "possible", possible);
	if (figures->partial)
		add_text_row(table, "", "partial",
			     figures->one_sided ? "only the client's own figures" : "stopped by its user");
	add_text_row(table, "", "time", time);
	table_print(out, table);
}

void text_interval(FILE *out, const struct test_row *test, const struct style *style,
		   const struct qperf_interval *interval, const char *time)
{
	struct text_table *table = table_begin(style);
	const char *primary = text_primaries[test->measure].name;
	char name[48];

	if (test->measure == MEASURE_BANDWIDTHS && interval->sends)
		primary = "send_bw";
	snprintf(name, sizeof(name), "%s[%.1f-%.1f]", primary, interval->begin_s, interval->end_s);
	add_primary(table, test, name, interval->value);
	add_cpu_util(table, style, interval->cpu_percent);
	add_text_row(table, "", "time", time);
	table_print(out, table);
}

void text_spread(FILE *out, const struct test_row *test, const struct style *style, struct series *series,
		 const struct series_result *result, const char *possible, bool partial)
{
	struct text_table *table = table_begin(style);
	const enum text_kind kind = text_primaries[test->measure].kind;
	const char *primary = text_primaries[test->measure].name;
	const struct confidence *mean = &result->confidence;
	const double *sorted;
	const unsigned count = series_sort(series, result->left_out, &sorted);
	double squares = 0;

	for (unsigned i = 0; i < count; i++)
		squares += (sorted[i] - mean->center) * (sorted[i] - mean->center);
	fprintf(out, "%s: %u run%s\n", test->name, count, count == 1 ? "" : "s");
	add_value(table, kind, primary, "_median", (sorted[(count - 1) / 2] + sorted[count / 2]) / 2);
	add_value(table, kind, primary, "_min", sorted[0]);
	add_value(table, kind, primary, "_max", sorted[count - 1]);
	if (count > 1 && mean->center > 0)
		add_value(table, TEXT_PERCENT, primary, "_spread", sqrt(squares / (count - 1)) / mean->center);
	add_value(table, kind, primary, "_mean", mean->center);
	if (!isnan(mean->low)) {
		add_value(table, kind, primary, "_ci95_low", mean->low);
		add_value(table, kind, primary, "_ci95_high", mean->high);
	}
	if (series->plan.steady)
		add_value(table, TEXT_COUNT, "", "left_out", result->left_out);
	if (series->plan.until_percent > 0)
		add_text_row(table, "", "reached", result->reached ? "yes" : "no");
	add_text_row(table, "", "possible", possible);
	if (partial)
		add_text_row(table, "", "partial", "a run was cut short");
	table_print(out, table);
}
