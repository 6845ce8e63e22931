// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `perftest gate`: is a command line still as fast as it was when its baseline was saved?
 *
 * Runs of another hour differ from those of now, and by how much cannot be seen in either: a test of significance of
 * the two would find differences that are the machine's. So the user says what is tolerated, and is told of a baseline
 * whose own runs differ by more.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "front/command.h"
#include "front/compare/comparison.h"
#include "front/document_file.h"
#include "front/options.h"
#include "front/outcome.h"
#include "front/sheet.h"
#include "report/envelope.h"
#include "report/progress.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/process.h"

#define DEFAULT_RUNS	 5
#define GATE_REASON_SIZE 900
#define LINE_SIZE	 1024
#define NUM_COLUMNS	 9
#define NUM_PLAIN	 5 /* of a baseline */

struct gate {
	const struct gate_params *params;
	json_t *baseline;	      /* its document; NULL: this is one */
	json_t *runs;		      /* the clients' documents */
	unsigned num_runs;	      /* as many as are to be made */
	struct comparison comparison; /* A: of the baseline's runs; B: of these */
	double seconds;		      /* of the runs */
};

/* --- the command line --- */

/* 0 or -EINVAL. */
static int gate_parse(struct gate_params *params, int num_words, char **words, char *reason, size_t size)
{
	if (!params->baseline[0] == !params->save[0])
		return opt_refuse(reason, size, "give --save_baseline=FILE once, and then --baseline=FILE");
	if (params->save[0] && params->output.json_file[0])
		return opt_refuse(reason, size, "--save_baseline writes the document that --out_json_file would");
	if (params->baseline[0] && params->runs)
		return opt_refuse(reason, size, "--runs is for --save_baseline: there are as many as of the baseline");
	if (params->save[0] && outcome_is_format(params->output.format))
		return opt_refuse(reason, size, "--save_baseline judges nothing, which is what this format is for");
	if (!num_words)
		return opt_refuse(reason, size, "which program? perftest list names them");
	if (params->save[0])
		memcpy(params->output.json_file, params->save, sizeof(params->save));
	return child_program_parse(&params->program, words, (unsigned)num_words, CHILD_HERE, reason, size);
}

/* --- the baseline --- */

static json_t *baseline_runs(const json_t *document)
{
	return json_object_get(json_object_get(document, "gate"), "runs");
}

static const char *baseline_fault(const json_t *document)
{
	const json_t *runs = baseline_runs(document);
	const char *status = document_file_text(document, NULL, "status");

	if (!json_is_array(runs))
		return "perftest gate --save_baseline=FILE has not written it";
	if ((strcmp(status, "complete") && strcmp(status, "below limit")) || !json_array_size(runs))
		return "its runs were cut short";
	if (json_array_size(runs) > PAIRED_MOST)
		return "it has too many runs";
	for (size_t i = 0; i < json_array_size(runs); i++)
		if (figure_fault(json_array_get(runs, i)))
			return figure_fault(json_array_get(runs, i));
	return NULL;
}

/* What was measured, and not where: then the figures say nothing about each other. */
static bool is_of_test(const json_t *difference)
{
	const char *member = json_string_value(json_object_get(difference, "member"));

	return strncmp(member, "parameters", strlen("parameters")) == 0 ||
	       strncmp(member, "local_parameters", strlen("local_parameters")) == 0 || strcmp(member, "role") == 0;
}

static const char *difference_text(const json_t *difference, const char *key)
{
	return json_string_value(json_object_get(difference, key));
}

/* Before the other runs: are they of the same test? The host may be another one, which is said. 0 or -EINVAL. */
static int gate_compare_tests(struct gate *gate, json_t *const documents[COMPARE_NUM_SIDES])
{
	const char *const names[] = {gate->params->baseline, "this run"};
	struct comparison *comparison = &gate->comparison;

	if (kept_match(comparison, names, documents))
		return -EINVAL;
	for (size_t i = 0; i < json_array_size(comparison->differences); i++) {
		const json_t *difference = json_array_get(comparison->differences, i);
		const char *member = difference_text(difference, "member"), *a = difference_text(difference, "a");
		const char *b = difference_text(difference, "b");

		if (is_of_test(difference)) {
			snprintf(comparison->fault, sizeof(comparison->fault),
				 "%.200s is of another test: %s is %s there, and %s here", gate->params->baseline,
				 member, a, b);
			return -EINVAL;
		}
		log_warning("not as in %s: %s: %s there, %s here", gate->params->baseline, member, a, b);
	}
	return 0;
}

/* --- the runs --- */

/* 0, -EINTR, or another -errno and the fault. */
static int gate_run_once(struct gate *gate)
{
	const struct gate_params *params = gate->params;
	struct comparison *comparison = &gate->comparison;
	const unsigned n = comparison->num_pairs;
	json_t *documents[COMPARE_NUM_SIDES] = {json_array_get(baseline_runs(gate->baseline), n), NULL};
	char text[COMPARISON_FAULT_SIZE];
	int ret;

	snprintf(text, sizeof(text), "run %u", n + 1);
	ret = trial_result(&params->program, params->limit_s, text, &documents[1], comparison->fault,
			   sizeof(comparison->fault));
	if (!gate->baseline)
		documents[0] = documents[1];
	else if (!ret && !n)
		ret = gate_compare_tests(gate, documents);
	if (!ret) {
		ret = comparison_add(comparison, documents);
		snprintf(text, sizeof(text), "cannot compare %.200s (A) with run %u (B): %.700s",
			 gate->baseline ? params->baseline : "run 1", n + 1, comparison->fault);
		memcpy(comparison->fault, text, sizeof(text));
	}
	if (!ret && json_array_append(gate->runs, documents[1]))
		ret = -ENOMEM;
	json_decref(documents[1]);
	return ret;
}

static void gate_run(struct gate *gate)
{
	const struct deadline began = deadline_in_ms(0);
	struct comparison *comparison = &gate->comparison;
	struct progress progress;
	int ret = 0;

	progress_open(&progress, stderr);
	while (!ret && comparison->num_pairs < gate->num_runs) {
		ret = gate_run_once(gate);
		progress_share(&progress, (double)comparison->num_pairs / gate->num_runs);
	}
	progress_clear(&progress);
	gate->seconds = (double)(deadline_in_ms(0).at_ns - began.at_ns) / 1e9;
	comparison->interrupted = ret == -EINTR;
	comparison->failed = ret && !comparison->interrupted;
	if (comparison->interrupted)
		snprintf(comparison->fault, sizeof(comparison->fault), "stopped by the user");
	if (comparison->failed)
		log_error("%s", comparison->fault);
}

/* --- what came of them --- */

static const int widths[NUM_COLUMNS] = {-12, -17, 9, 9, -4, 9, 9, 9, -6};

static double median_shown(const struct gate *gate, const struct comparison_figure *figure, unsigned side)
{
	return comparison_median(&gate->comparison, figure, side) * figure->kind->to_shown;
}

static double change_percent(const struct gate *gate, const struct comparison_figure *figure)
{
	return 100 * (median_shown(gate, figure, 1) / median_shown(gate, figure, 0) - 1);
}

static double spread_percent(const struct gate *gate, const struct comparison_figure *figure)
{
	const double median = comparison_median(&gate->comparison, figure, 0);
	double spread = 0;

	for (unsigned i = 0; i < gate->comparison.num_pairs; i++)
		spread = fmax(spread, 100 * fabs(figure->values[0][i] / median - 1));
	return spread;
}

static bool is_missed(const struct gate *gate, const struct comparison_figure *figure)
{
	const double change = change_percent(gate, figure);

	return gate->baseline && !((figure->kind->lower_is_best ? change : -change) <= gate->params->tolerance);
}

/* Then nothing is judged, and the fault is why. */
static bool is_cut(const struct gate *gate)
{
	return gate->comparison.failed || gate->comparison.interrupted;
}

static int status_of(const struct gate *gate)
{
	if (gate->comparison.interrupted)
		return EXIT_STATUS_INTERRUPTED;
	if (gate->comparison.failed)
		return EXIT_STATUS_FAILURE;
	for (unsigned i = 0; i < gate->comparison.num_figures; i++)
		if (is_missed(gate, &gate->comparison.figures[i]))
			return EXIT_STATUS_LIMIT;
	return EXIT_STATUS_OK;
}

static const char *missed_words(const struct gate *gate, const struct comparison_figure *figure,
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
static void figure_print(const struct gate *gate, const struct comparison_figure *figure, struct sheet *table)
{
	char change[FIGURE_CHANGE_SIZE];

	sheet_cell(table, "%s", figure->subject);
	sheet_cell(table, "%s", figure->kind->name);
	sheet_cell(table, "%.4g", median_shown(gate, figure, 0));
	sheet_cell(table, "%.1f %%", spread_percent(gate, figure));
	sheet_cell(table, "%s", figure->kind->unit);
	if (!gate->baseline)
		return;
	sheet_cell(table, "%.4g", median_shown(gate, figure, 1));
	sheet_cell(table, "%s %%", figure_change(change_percent(gate, figure), 1, change));
	sheet_cell(table, "%g %%", gate->params->tolerance);
	sheet_cell(table, "%s", is_missed(gate, figure) ? "MISSED" : "met");
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
	const bool markdown = gate->params->output.format == FORMAT_MARKDOWN;
	int wide[NUM_COLUMNS];
	struct sheet table = {.out = out, .widths = markdown ? NULL : wide};
	char words[LINE_SIZE];

	memcpy(wide, widths, sizeof(wide));
	wide[0] = -comparison_subject_width(&gate->comparison, -widths[0]);
	command_sentence(out, "perftest gate: %u run%s, %s %s", gate->num_runs, gate->num_runs == 1 ? "" : "s",
			 gate->baseline ? "compared with those of" : "the baseline",
			 gate->baseline ? gate->params->baseline : gate->params->save);
	command_item(out, markdown, "%s", child_program_words(&gate->params->program, words, sizeof(words)));
	for (size_t i = 0; i < log_warning_count() && markdown; i++)
		command_item(out, true /* Markdown */, "warning: %s", log_warning_at(i));
	fprintf(out, "\n");
	sheet_table_begin(&table, NULL, false, 1 | 2 | 16 | 256, headings, gate->baseline ? NUM_COLUMNS : NUM_PLAIN);
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
		if (is_cut(gate))
			snprintf(outcome->words, sizeof(outcome->words), "%s", gate->comparison.fault);
		outcome->state = is_cut(gate) ? OUTCOME_FAILED : OUTCOME_PASSED;
		outcome->seconds = gate->seconds;
		return;
	}
	figure = &gate->comparison.figures[n - 1];
	snprintf(outcome->name, sizeof(outcome->name), "%s %s", figure->subject, figure->kind->name);
	snprintf(outcome->shown, sizeof(outcome->shown), "%.4g %s, expected %.4g", median_shown(gate, figure, 1),
		 figure->kind->unit, median_shown(gate, figure, 0));
	if (!is_missed(gate, figure))
		return;
	outcome->state = OUTCOME_FAILED;
	snprintf(outcome->words, sizeof(outcome->words), "%s", missed_words(gate, figure, text));
}

static void gate_print(const struct gate *gate, FILE *out)
{
	const unsigned count = 1 + (is_cut(gate) ? 0 : gate->comparison.num_figures);

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
			 envelope_number(spread_percent(gate, figure)), "missed",
			 judged ? json_boolean(is_missed(gate, figure)) : json_null());
}

static int gate_export(const struct gate *gate, struct envelope *envelope)
{
	const struct gate_params *params = gate->params;
	const int status = status_of(gate);
	char text[GATE_REASON_SIZE], words[LINE_SIZE];

	envelope_begin(envelope, "perftest", "host", "gate");
	envelope_put_member(envelope, "parameters",
			    json_pack("{s:i, s:f, s:i}", "runs", (int)gate->num_runs, "tolerance", params->tolerance,
				      "limit", (int)params->limit_s));
	envelope_put_member(envelope, "gate",
			    json_pack("{s:o, s:o, s:O?, s:O}", "command",
				      envelope_text(child_program_words(&params->program, words, sizeof(words))),
				      "baseline", envelope_known(params->baseline), "differences",
				      gate->comparison.differences, "runs", gate->runs));
	envelope_begin_measurements(envelope);
	for (unsigned i = 0; i < gate->comparison.num_figures; i++)
		envelope_put_measurement(envelope, figure_json(gate, &gate->comparison.figures[i]));
	envelope_end_measurements(envelope);
	envelope->missed_limits = json_array();
	for (unsigned i = 0; i < gate->comparison.num_figures && status == EXIT_STATUS_LIMIT; i++)
		if (is_missed(gate, &gate->comparison.figures[i]))
			json_array_append_new(envelope->missed_limits,
					      envelope_text(missed_words(gate, &gate->comparison.figures[i], text)));
	return command_end(envelope, status, "worse than the baseline", gate->comparison.fault);
}

/* --- the command --- */

/* A line for each figure that is worse, and for each that may be so by chance. */
static void gate_report(const struct gate *gate)
{
	char text[GATE_REASON_SIZE];

	for (unsigned i = 0; i < gate->comparison.num_figures; i++) {
		const struct comparison_figure *figure = &gate->comparison.figures[i];
		const double spread = spread_percent(gate, figure);

		if (gate->baseline && spread > gate->params->tolerance)
			log_warning("%s %s: runs of the baseline are up to %.1f %% off their median, which a "
				    "--tolerance of %g %% does not cover: make it larger, or the runs longer",
				    figure->subject, figure->kind->name, spread, gate->params->tolerance);
		if (is_missed(gate, figure))
			log_error("%s", missed_words(gate, figure, text));
	}
}

static int gate_judge(struct gate *gate, struct envelope *envelope)
{
	const struct gate_params *params = gate->params;
	int status;

	gate_run(gate);
	status = status_of(gate);
	if (!is_cut(gate))
		gate_report(gate);
	if (params->output.format != FORMAT_JSON && (!is_cut(gate) || outcome_is_format(params->output.format)))
		gate_print(gate, stdout);
	/* A baseline that is there is worth more than one that was cut short. */
	if (envelope_is_open(envelope) && !(params->save[0] && is_cut(gate)) && gate_export(gate, envelope))
		status = EXIT_STATUS_FAILURE;
	return stdio_status() ? EXIT_STATUS_FAILURE : status;
}

int gate_main(int argc, char **argv)
{
	static struct gate_params params;
	static struct gate gate;
	struct envelope envelope = {0};
	char reason[OPT_TEXT_SIZE];
	int status = EXIT_STATUS_FAILURE;
	const int own = command_begin(&gate_cli, argc, argv, &params, &status);

	if (!own)
		return status;
	if (gate_parse(&params, argc - own, argv + own, reason, sizeof(reason)))
		return cli_usage_error(reason);
	gate = (struct gate){.params = &params, .runs = json_array(), .num_runs = params.runs};
	if (params.baseline[0]) {
		gate.baseline = document_file_load(params.baseline, "read the baseline", baseline_fault);
		if (!gate.baseline)
			goto out;
		gate.num_runs = (unsigned)json_array_size(baseline_runs(gate.baseline));
	}
	if (!gate.num_runs)
		gate.num_runs = DEFAULT_RUNS;
	if (!command_open(&envelope, &params.output)) {
		envelope.purpose = params.save[0] ? "baseline" : NULL;
		status = gate_judge(&gate, &envelope);
	}
	envelope_close(&envelope);
out:
	comparison_close(&gate.comparison);
	json_decref(gate.runs);
	json_decref(gate.baseline);
	return status;
}
