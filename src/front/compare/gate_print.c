// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What came of the runs of `perftest gate`: the verdict, and how it is printed: text or Markdown, TAP or JUnit's XML,
 * and the JSON document (docs/schema.json).
 */
#include <ctype.h>
#include <math.h>

#include "front/cell_table.h"
#include "front/command.h"
#include "front/compare/gate.h"
#include "front/outcome.h"
#include "report/envelope.h"
#include "util/log.h"
#include "util/process.h"

#define NUM_COLUMNS 9
#define NUM_PLAIN   5 /* of a baseline */
#define LINE_SIZE   1024

static const int widths[NUM_COLUMNS] = {-12, -17, 9, 9, -4, 9, 9, 9, -6};

static double median_shown(const struct gate *gate, const struct comparison_figure *figure, unsigned side)
{
	return comparison_median(&gate->comparison, figure, side) * figure->kind->to_shown;
}

static double change_percent(const struct gate *gate, const struct comparison_figure *figure)
{
	return 100 * (median_shown(gate, figure, 1) / median_shown(gate, figure, 0) - 1);
}

double gate_spread_percent(const struct gate *gate, const struct comparison_figure *figure)
{
	const double median = comparison_median(&gate->comparison, figure, 0);
	double spread = 0;

	for (unsigned i = 0; i < gate->comparison.num_pairs; i++)
		spread = fmax(spread, 100 * fabs(figure->values[0][i] / median - 1));
	return spread;
}

bool gate_is_missed(const struct gate *gate, const struct comparison_figure *figure)
{
	const double change = change_percent(gate, figure);

	return gate->baseline && !((figure->kind->lower_is_best ? change : -change) <= gate->params->tolerance);
}

int gate_status(const struct gate *gate)
{
	if (gate->interrupted)
		return EXIT_STATUS_INTERRUPTED;
	if (gate->failure[0])
		return EXIT_STATUS_FAILURE;
	for (unsigned i = 0; i < gate->comparison.num_figures; i++)
		if (gate_is_missed(gate, &gate->comparison.figures[i]))
			return EXIT_STATUS_LIMIT;
	return EXIT_STATUS_OK;
}

const char *gate_missed_words(const struct gate *gate, const struct comparison_figure *figure,
			      char text[GATE_REASON_SIZE])
{
	const struct figure_kind *kind = figure->kind;

	snprintf(text, GATE_REASON_SIZE, "%s %s: %.4g %s, %.1f %% %s than the %.4g %s of %.200s; --tolerance is %g %%",
		 figure->subject, kind->name, median_shown(gate, figure, 1), kind->unit,
		 fabs(change_percent(gate, figure)), kind->lower_is_best ? "more" : "less",
		 median_shown(gate, figure, 0), kind->unit, gate->params->baseline, gate->params->tolerance);
	return text;
}

/* --- text and Markdown --- */

/* table: of a baseline without the last columns. */
static void figure_print(const struct gate *gate, const struct comparison_figure *figure, struct cell_table *table)
{
	cell_table_cell(table, "%s", figure->subject);
	cell_table_cell(table, "%s", figure->kind->name);
	cell_table_cell(table, "%.4g", median_shown(gate, figure, 0));
	cell_table_cell(table, "%.1f %%", gate_spread_percent(gate, figure));
	cell_table_cell(table, "%s", figure->kind->unit);
	if (!gate->baseline)
		return;
	cell_table_cell(table, "%.4g", median_shown(gate, figure, 1));
	cell_table_cell(table, "%+.1f %%", change_percent(gate, figure));
	cell_table_cell(table, "%g %%", gate->params->tolerance);
	cell_table_cell(table, "%s", gate_is_missed(gate, figure) ? "MISSED" : "met");
}

static void figures_print(const struct gate *gate, FILE *out)
{
	const bool by_size = isdigit((unsigned char)gate->comparison.figures[0].subject[0]);
	const char *const headings[NUM_COLUMNS] = {by_size ? "#bytes" : "test",
						   "figure",
						   "baseline",
						   "spread",
						   "unit",
						   "measured",
						   "change",
						   "tolerance",
						   "limit"};
	struct cell_table table = {.out = out,
				   .headings = headings,
				   .widths = widths,
				   .columns = gate->baseline ? NUM_COLUMNS : NUM_PLAIN,
				   .markdown = gate->params->output.format == FORMAT_MARKDOWN};
	char words[LINE_SIZE];

	command_sentence(out, "perftest gate: %u run%s, %s %s", gate->num_runs, gate->num_runs == 1 ? "" : "s",
			 gate->baseline ? "compared with those of" : "the baseline",
			 gate->baseline ? gate->params->baseline : gate->params->save);
	command_sentence(out, "%s%s", table.markdown ? "- " : "",
			 child_program_words(&gate->params->program, words, sizeof(words)));
	for (size_t i = 0; i < log_warning_count() && table.markdown; i++)
		command_sentence(out, "- warning: %s", log_warning_at(i));
	fprintf(out, "\n");
	cell_table_begin(&table);
	for (unsigned i = 0; i < gate->comparison.num_figures; i++)
		figure_print(gate, &gate->comparison.figures[i], &table);
}

/* --- TAP and JUnit --- */

/* Of the runs, and of each figure. */
static void outcome_fill(const void *context, unsigned n, struct outcome *outcome)
{
	const struct gate *gate = context;
	const struct comparison_figure *figure;
	char text[GATE_REASON_SIZE];

	if (!n) {
		snprintf(outcome->name, sizeof(outcome->name), "runs");
		snprintf(outcome->words, sizeof(outcome->words), "%s", gate->failure);
		outcome->state = gate->failure[0] ? OUTCOME_FAILED : OUTCOME_PASSED;
		return;
	}
	figure = &gate->comparison.figures[n - 1];
	snprintf(outcome->name, sizeof(outcome->name), "%s %s", figure->subject, figure->kind->name);
	snprintf(outcome->shown, sizeof(outcome->shown), "%.4g %s, expected %.4g", median_shown(gate, figure, 1),
		 figure->kind->unit, median_shown(gate, figure, 0));
	if (!gate_is_missed(gate, figure))
		return;
	outcome->state = OUTCOME_FAILED;
	snprintf(outcome->words, sizeof(outcome->words), "%s", gate_missed_words(gate, figure, text));
}

void gate_print(const struct gate *gate, FILE *out)
{
	const unsigned count = 1 + (gate->failure[0] ? 0 : gate->comparison.num_figures);

	if (outcome_is_format(gate->params->output.format))
		outcomes_print("perftest gate", outcome_fill, gate, count, gate->params->output.format, out);
	else
		figures_print(gate, out);
}

/* --- JSON --- */

static json_t *figure_json(const struct gate *gate, const struct comparison_figure *figure)
{
	const bool judged = gate->baseline;

	return json_pack("{s:s, s:o, s:s, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "kind", "result", "subject",
			 envelope_text(figure->subject), "figure", figure->kind->key, "percentile",
			 figure->kind->percent > 0 ? json_real(figure->kind->percent) : json_null(), "name",
			 figure->kind->name, "lower_is_best", figure->kind->lower_is_best, "expected",
			 judged ? envelope_number(comparison_median(&gate->comparison, figure, 0)) : json_null(),
			 "measured", envelope_number(comparison_median(&gate->comparison, figure, 1)), "change_percent",
			 judged ? envelope_number(change_percent(gate, figure)) : json_null(), "spread_percent",
			 envelope_number(gate_spread_percent(gate, figure)), "missed",
			 judged ? json_boolean(gate_is_missed(gate, figure)) : json_null());
}

int gate_export(const struct gate *gate, struct envelope *envelope)
{
	const struct gate_params *params = gate->params;
	const int status = gate_status(gate);
	char text[GATE_REASON_SIZE], words[LINE_SIZE];
	json_t *missed = json_array();

	envelope_begin(envelope, "perftest", "host", "gate");
	envelope_put_member(envelope, "parameters",
			    json_pack("{s:i, s:f, s:i}", "runs", (int)gate->num_runs, "tolerance", params->tolerance,
				      "limit", (int)params->limit_s));
	envelope_put_member(envelope, "gate",
			    json_pack("{s:o, s:o, s:O?, s:O}", "command",
				      envelope_text(child_program_words(&params->program, words, sizeof(words))),
				      "baseline", envelope_known(params->baseline), "differences", gate->differences,
				      "runs", gate->runs));
	envelope_begin_measurements(envelope);
	for (unsigned i = 0; i < gate->comparison.num_figures; i++)
		envelope_put_measurement(envelope, figure_json(gate, &gate->comparison.figures[i]));
	envelope_end_measurements(envelope);
	for (unsigned i = 0; i < gate->comparison.num_figures && status == EXIT_STATUS_LIMIT; i++)
		if (gate_is_missed(gate, &gate->comparison.figures[i]))
			json_array_append_new(
				missed, envelope_text(gate_missed_words(gate, &gate->comparison.figures[i], text)));
	envelope_put_member(envelope, "missed_limits", missed);
	return envelope_end(envelope, command_status_word(status),
			    status == EXIT_STATUS_LIMIT ? "worse than the baseline" : gate->failure);
}
