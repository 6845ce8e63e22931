// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See gate.h. */
#include "config.h"

#include "front/compare/gate.h"

#include <errno.h>
#include <string.h>

#include "front/command.h"
#include "front/document_file.h"
#include "front/launch/trial.h"
#include "front/outcome.h"
#include "report/envelope.h"
#include "report/progress.h"
#include "util/log.h"
#include "util/process.h"

#define DEFAULT_RUNS 5

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

	if (kept_match(names, documents, gate->failure, sizeof(gate->failure)))
		return -EINVAL;
	gate->differences = kept_differences(documents);
	for (size_t i = 0; i < json_array_size(gate->differences); i++) {
		const json_t *difference = json_array_get(gate->differences, i);
		const char *member = difference_text(difference, "member"), *a = difference_text(difference, "a");
		const char *b = difference_text(difference, "b");

		if (is_of_test(difference)) {
			snprintf(gate->failure, sizeof(gate->failure),
				 "%.200s is of another test: %s is %s there, and %s here", gate->params->baseline,
				 member, a, b);
			return -EINVAL;
		}
		log_warning("not as in %s: %s: %s there, %s here", gate->params->baseline, member, a, b);
	}
	return 0;
}

/* --- the runs --- */

/* 0, -EINTR, or another -errno and gate->failure. */
static int gate_run_once(struct gate *gate)
{
	const struct gate_params *params = gate->params;
	const unsigned n = gate->comparison.num_pairs;
	json_t *documents[COMPARE_NUM_SIDES] = {json_array_get(baseline_runs(gate->baseline), n), NULL};
	char why[TRIAL_REASON_SIZE];
	const char *fault = why;
	int ret = trial_run(&params->program, params->limit_s, &documents[1], why);

	if (!ret && figure_fault(documents[1])) {
		fault = figure_fault(documents[1]);
		ret = -ENODATA;
	}
	if (ret) {
		snprintf(gate->failure, sizeof(gate->failure), "run %u failed: %s", n + 1, fault);
		goto out;
	}
	if (!gate->baseline)
		documents[0] = documents[1];
	else if (!n)
		ret = gate_compare_tests(gate, documents);
	if (ret)
		goto out;
	ret = comparison_add(&gate->comparison, documents);
	if (!ret)
		ret = json_array_append(gate->runs, documents[1]) ? -ENOMEM : 0;
	if (ret)
		snprintf(gate->failure, sizeof(gate->failure), "cannot compare %.200s (A) with run %u (B): %s",
			 gate->baseline ? params->baseline : "run 1", n + 1, gate->comparison.fault);
out:
	json_decref(documents[1]);
	return ret;
}

static void gate_run(struct gate *gate)
{
	struct progress progress;
	int ret = 0;

	progress_open(&progress, stderr);
	while (!ret && gate->comparison.num_pairs < gate->num_runs) {
		ret = gate_run_once(gate);
		progress_share(&progress, (double)gate->comparison.num_pairs / gate->num_runs);
	}
	progress_clear(&progress);
	gate->interrupted = ret == -EINTR;
	if (gate->interrupted)
		snprintf(gate->failure, sizeof(gate->failure), "stopped by the user");
	else if (ret)
		log_error("%s", gate->failure);
}

/* --- the command --- */

/* A line for each figure that is worse, and for each that may be so by chance. */
static void gate_report(const struct gate *gate)
{
	char text[GATE_REASON_SIZE];

	for (unsigned i = 0; i < gate->comparison.num_figures; i++) {
		const struct comparison_figure *figure = &gate->comparison.figures[i];
		const double spread = gate_spread_percent(gate, figure);

		if (gate->baseline && spread > gate->params->tolerance)
			log_warning("%s %s: runs of the baseline are up to %.1f %% off their median, which a "
				    "--tolerance of %g %% does not cover: make it larger, or the runs longer",
				    figure->subject, figure->kind->name, spread, gate->params->tolerance);
		if (gate_is_missed(gate, figure))
			log_error("%s", gate_missed_words(gate, figure, text));
	}
}

static int gate_judge(struct gate *gate, struct envelope *envelope)
{
	const struct gate_params *params = gate->params;
	int status;

	gate_run(gate);
	status = gate_status(gate);
	if (!gate->failure[0])
		gate_report(gate);
	if (params->output.format != FORMAT_JSON && (!gate->failure[0] || outcome_is_format(params->output.format)))
		gate_print(gate, stdout);
	/* A baseline that is there is worth more than one that was cut short. */
	if (envelope_is_open(envelope) && !(params->save[0] && gate->failure[0]) && gate_export(gate, envelope))
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
	const int own = command_begin(&gate_cli, argc, argv, &params, &params.show_help, &status);

	if (!own)
		return status;
	if (gate_parse(&params, argc - own, argv + own, reason, sizeof(reason)))
		return cli_usage_error(reason);
	gate = (struct gate){.params = &params, .runs = json_array(), .num_runs = params.runs};
	if (params.baseline[0]) {
		gate.baseline = document_file_load(params.baseline, "use as a baseline", baseline_fault);
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
	json_decref(gate.differences);
	json_decref(gate.runs);
	json_decref(gate.baseline);
	return status;
}
