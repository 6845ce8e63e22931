// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `perftest compare`: whole runs of A and B, both started anew, in turn. A coin decides which of a pair is first, so
 * that neither drift nor what a run leaves behind favours one of them.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "front/command.h"
#include "front/compare/comparison.h"
#include "front/launch/sibling.h"
#include "front/sheet.h"
#include "params/programs.h"
#include "report/envelope.h"
#include "report/progress.h"
#include "stats/splitmix.h"
#include "util/log.h"
#include "util/process.h"
#include "util/terminal.h"

#define NUM_COLUMNS 9
#define NUM_PLAIN   6		       /* without what is judged */
#define TO_THE_LEFT (1 | 2 | 16 | 256) /* of Markdown: columns of words */
#define INDENT	    6
#define LINE_SIZE   1024

/* --- the command line --- */

/* 0 or -EINVAL. */
static int sides_parse(struct compare_params *params, char **words, unsigned num_words, char *reason, size_t size)
{
	struct child_program *program = params->sides;
	unsigned count = 0;

	while (count < num_words && strcmp(words[count], "--"))
		count++;
	if (count == num_words && num_words == COMPARE_NUM_SIDES && !program_find(words[0]) &&
	    !sibling_find(words[0])) {
		memcpy(params->documents, words, sizeof(params->documents));
		return 0;
	}
	if (count == num_words)
		return opt_refuse(reason, size,
				  "-- is missing between both command lines, A -- B; or name two JSON documents");
	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++, program++) {
		if (!count)
			return opt_refuse(reason, size, "%c is not there: which program?", side ? 'B' : 'A');
		if (child_program_parse(program, words, count, CHILD_HERE, reason, size))
			return -EINVAL;
		words += count + 1;
		count = side ? 0 : num_words - count - 1;
	}
	return 0;
}

/* --- the runs --- */

/* A run of each side. 0, -EINTR, or another -errno and the fault. */
static int pair_run(struct comparison *comparison, uint64_t *coin)
{
	const struct compare_params *params = comparison->params;
	const bool b_first = splitmix_next(coin) >> 63;
	json_t *documents[COMPARE_NUM_SIDES] = {NULL};
	char who[24];
	int ret = 0;

	strcpy(comparison->order[comparison->num_pairs], b_first ? "BA" : "AB");
	for (unsigned i = 0; i < COMPARE_NUM_SIDES && !ret; i++) {
		const unsigned side = i ^ b_first;

		snprintf(who, sizeof(who), "run %u of %c", comparison->num_pairs + 1, "AB"[side]);
		ret = trial_result(&params->sides[side], params->limit_s, who, &documents[side], comparison->fault,
				   sizeof(comparison->fault));
	}
	if (!ret)
		ret = comparison_add(comparison, documents);
	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
		json_decref(documents[side]);
	return ret;
}

static void runs_make(struct comparison *comparison)
{
	struct progress progress;
	uint64_t coin = comparison->seed;
	int ret;

	progress_open(&progress, stderr);
	do {
		ret = pair_run(comparison, &coin);
		if (!ret)
			ret = comparison_judge(comparison, false);
		progress_share(&progress, (double)comparison->num_pairs / comparison_most(comparison));
	} while (!ret && !comparison_is_over(comparison));
	progress_clear(&progress);
	comparison->interrupted = ret == -EINTR;
	comparison->failed = ret && !comparison->interrupted;
	if (comparison->failed)
		log_error("%s", comparison->fault);
}

/* --- what came of them --- */

static const int widths[NUM_COLUMNS] = {-12, -18, 9, 9, -4, 9, 18, 7, -42}; /* below 0: to the left */
static const char *const verdict_names[] = {"unknown", "no difference", "better", "worse"};

/* The command line of a side, or its document. */
static const char *side_words(const struct comparison *comparison, unsigned side, char words[LINE_SIZE])
{
	const char *document = comparison->params->documents[side];

	return document ? document : child_program_words(&comparison->params->sides[side], words, LINE_SIZE);
}

/* NaN: unknown. */
static double change_percent(double change)
{
	return isfinite(change) ? 100 * expm1(change) : NAN;
}

/*
 * What is judged: the last columns of Markdown; of text, whose lines fit into 80 columns, a line below the figures. Of
 * kept documents nothing is.
 */
static void judgement_print(const struct comparison *comparison, const struct comparison_figure *figure,
			    struct sheet *table, int decimals)
{
	const struct paired *paired = &figure->paired;
	char low[FIGURE_CHANGE_SIZE], high[FIGURE_CHANGE_SIZE], interval[2 * FIGURE_CHANGE_SIZE + 8] = "", p[16];
	char text[COMPARISON_TEXT_SIZE];
	char line[COMPARISON_TEXT_SIZE + 96], folded[2 * sizeof(line)];

	snprintf(p, sizeof(p), paired->p < 0.0001 ? "<0.0001" : "%.4f", paired->p);
	if (!isinf(paired->low))
		snprintf(interval, sizeof(interval), "%s to %s %%",
			 figure_change(change_percent(paired->low), decimals, low),
			 figure_change(change_percent(paired->high), decimals, high));
	comparison_words(comparison, figure, text);
	if (table->widths) {
		snprintf(line, sizeof(line), "%s%sp %s: %s", interval, interval[0] ? ", " : "", p, text);
		text_fold(line, terminal_columns(table->out), INDENT, INDENT, folded, sizeof(folded));
		fprintf(table->out, "%*s%s\n", INDENT, "", folded);
		return;
	}
	sheet_cell(table, "%s", interval[0] ? interval : "unknown");
	sheet_cell(table, "%s", p);
	sheet_cell(table, "%s", text);
}

static void figure_print(const struct comparison *comparison, const struct comparison_figure *figure,
			 struct sheet *table)
{
	const struct paired *paired = &figure->paired;
	const double low = change_percent(paired->low), high = change_percent(paired->high);
	const double change = change_percent(paired->change);
	const int decimals = fmax(fmax(fabs(low), fabs(high)), fabs(change)) < 1 ? 2 : 1;
	char text[FIGURE_CHANGE_SIZE];

	sheet_cell(table, "%s", figure->subject);
	sheet_cell(table, "%s", figure->kind->name);
	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
		sheet_cell(table, "%.4g", comparison_median(comparison, figure, side) * figure->kind->to_shown);
	sheet_cell(table, "%s", figure->kind->unit);
	sheet_cell(table, "%s %%", figure_change(change, decimals, text));
	if (!comparison->params->documents[0])
		judgement_print(comparison, figure, table, decimals);
}

static void header_print(const struct comparison *comparison, FILE *out)
{
	const struct compare_params *params = comparison->params;
	const bool markdown = params->output.format == FORMAT_MARKDOWN;
	char words[LINE_SIZE];

	if (params->documents[0])
		command_sentence(out, "perftest compare: two documents");
	else
		command_sentence(out, "perftest compare: %u pair%s of runs, in an order drawn with --seed=%" PRIu64,
				 comparison->num_pairs, comparison->num_pairs == 1 ? "" : "s", comparison->seed);
	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
		command_item(out, markdown, "%c: %s", "AB"[side], side_words(comparison, side, words));
	for (size_t i = 0; i < json_array_size(comparison->differences); i++) {
		const json_t *difference = json_array_get(comparison->differences, i);

		command_item(out, markdown, "differs: %s: %s, %s",
			     json_string_value(json_object_get(difference, "member")),
			     json_string_value(json_object_get(difference, "a")),
			     json_string_value(json_object_get(difference, "b")));
	}
	fprintf(out, "\n");
}

static void figures_print(const struct comparison *comparison, FILE *out)
{
	const bool markdown = comparison->params->output.format == FORMAT_MARKDOWN;
	const bool by_size = isdigit((unsigned char)comparison->figures[0].subject[0]);
	const char *const headings[NUM_COLUMNS] = {
		by_size ? "#bytes" : "test", "figure", "A", "B", "unit", "change", "interval", "p", "verdict"};
	int wide[NUM_COLUMNS];
	struct sheet table = {.out = out, .widths = markdown ? NULL : wide};

	memcpy(wide, widths, sizeof(wide));
	wide[0] = -comparison_subject_width(comparison, -widths[0]);
	sheet_table_begin(&table, NULL, false, TO_THE_LEFT, headings,
			  markdown && !comparison->params->documents[0] ? NUM_COLUMNS : NUM_PLAIN);
	for (unsigned i = 0; i < comparison->num_figures; i++)
		figure_print(comparison, &comparison->figures[i], &table);
	fprintf(out, "\n");
}

static void comparison_print(const struct comparison *comparison, FILE *out)
{
	header_print(comparison, out);
	figures_print(comparison, out);
	command_sentence(out, "%s",
			 comparison->params->documents[0]
				 ? "Each side is one run, and two runs of the same differ, too. By how much is not "
				   "known here, so that no change is called a difference; perftest compare A -- B runs "
				   "both in turn to find out."
				 : "Signed rank test of pairs: if A and B are the same, at most 5 of 100 comparisons "
				   "find a difference in any figure.");
	if (comparison->interrupted)
		command_sentence(out, "stopped by the user: this is what was measured until then");
}

/* --- JSON --- */

static json_t *figure_json(const struct comparison *comparison, const struct comparison_figure *figure)
{
	const bool judged = !comparison->params->documents[0];
	char text[COMPARISON_TEXT_SIZE];
	json_t *sides[COMPARE_NUM_SIDES];

	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++) {
		sides[side] = json_array();
		for (unsigned i = 0; i < comparison->num_pairs; i++)
			json_array_append_new(sides[side], envelope_number(figure->values[side][i]));
	}
	return json_pack("{s:s, s:o, s:s, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "kind", "result", "subject", envelope_text(figure->subject), "figure", figure->kind->key,
			 "percentile", figure->kind->percent > 0 ? json_real(figure->kind->percent) : json_null(),
			 "name", figure->kind->name, "lower_is_best", figure->kind->lower_is_best, "a",
			 envelope_number(comparison_median(comparison, figure, 0)), "b",
			 envelope_number(comparison_median(comparison, figure, 1)), "a_of_each", sides[0], "b_of_each",
			 sides[1], "change_percent", envelope_number(change_percent(figure->paired.change)),
			 "change_low_percent", envelope_number(change_percent(figure->paired.low)),
			 "change_high_percent", envelope_number(change_percent(figure->paired.high)), "level",
			 judged ? json_real(figure->level) : json_null(), "p",
			 judged ? json_real(figure->paired.p) : json_null(), "verdict",
			 judged ? json_string(verdict_names[comparison_verdict(comparison, figure)]) : json_null(),
			 "text", judged ? json_string(comparison_words(comparison, figure, text)) : json_null());
}

static json_t *comparison_json(const struct comparison *comparison)
{
	const bool runs = !comparison->params->documents[0];
	char words[COMPARE_NUM_SIDES][LINE_SIZE];
	json_t *order = json_array();

	for (unsigned i = 0; i < comparison->num_pairs && runs; i++)
		json_array_append_new(order, json_string(comparison->order[i]));
	return json_pack("{s:s, s:o, s:o, s:i, s:o, s:o, s:O?}", "of", runs ? "runs" : "documents", "a",
			 envelope_text(side_words(comparison, 0, words[0])), "b",
			 envelope_text(side_words(comparison, 1, words[1])), "pairs", (int)comparison->num_pairs,
			 "order", order, "until_reached",
			 comparison->params->until > 0 ? json_boolean(comparison_is_decided(comparison)) : json_null(),
			 "differences", comparison->differences);
}

/* 0 or -errno, reported. */
static int comparison_export(const struct comparison *comparison, struct envelope *envelope)
{
	const struct compare_params *params = comparison->params;
	char text[COMPARISON_TEXT_SIZE], line[LINE_SIZE];

	envelope_begin(envelope, "perftest", "host", "compare");
	envelope_put_member(envelope, "parameters",
			    json_pack("{s:i, s:f, s:I, s:i}", "runs", (int)params->runs, "until", params->until, "seed",
				      (json_int_t)comparison->seed, "limit", (int)params->limit_s));
	envelope_put_member(envelope, "comparison", comparison_json(comparison));
	envelope_begin_measurements(envelope);
	for (unsigned i = 0; i < comparison->num_figures; i++)
		envelope_put_measurement(envelope, figure_json(comparison, &comparison->figures[i]));
	envelope_end_measurements(envelope);
	envelope->missed_limits = json_array();
	for (unsigned i = 0; i < comparison->num_figures; i++) {
		const struct comparison_figure *figure = &comparison->figures[i];

		if (comparison_verdict(comparison, figure) != COMPARISON_WORSE)
			continue;
		snprintf(line, sizeof(line), "%s %s: %s", figure->subject, figure->kind->name,
			 comparison_words(comparison, figure, text));
		json_array_append_new(envelope->missed_limits, envelope_text(line));
	}
	return command_end(envelope, comparison_status(comparison), "B is worse", comparison->fault);
}

/* --- the command --- */

static int compare_run(struct comparison *comparison, struct envelope *envelope)
{
	const struct compare_params *params = comparison->params;
	struct timespec now;
	int status;

	clock_gettime(CLOCK_REALTIME, &now);
	comparison->seed = params->seed ? params->seed : 1 + (uint64_t)now.tv_nsec / 1000;
	if (!params->documents[0])
		runs_make(comparison);
	else if (kept_load(comparison))
		return EXIT_STATUS_FAILURE;
	if (comparison_judge(comparison, true)) {
		log_error("no memory for the verdict");
		return EXIT_STATUS_FAILURE;
	}
	status = comparison_status(comparison);
	if (params->output.format != FORMAT_JSON && comparison->num_pairs)
		comparison_print(comparison, stdout);
	if (envelope_is_open(envelope) && comparison_export(comparison, envelope))
		status = EXIT_STATUS_FAILURE;
	return stdio_status() ? EXIT_STATUS_FAILURE : status;
}

int compare_main(int argc, char **argv)
{
	static struct compare_params params;
	struct comparison comparison = {.params = &params};
	struct envelope envelope = {0};
	char reason[OPT_TEXT_SIZE];
	int status;
	const int own = command_begin(&compare_cli, argc, argv, &params, &status);

	if (!own)
		return status;
	if (sides_parse(&params, argv + own, (unsigned)(argc - own), reason, sizeof(reason)))
		return cli_usage_error(reason);
	if (command_open(&envelope, &params.output))
		return EXIT_STATUS_FAILURE;
	status = compare_run(&comparison, &envelope);
	envelope_close(&envelope);
	comparison_close(&comparison);
	return status;
}
