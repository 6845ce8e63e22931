// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `perftest compare`: whole runs of A and B, both started anew, in turn. A coin decides which of a pair is first, so
 * that neither drift nor what a run leaves behind favours one of them.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "front/command.h"
#include "front/compare/comparison.h"
#include "front/launch/trial.h"
#include "report/envelope.h"
#include "report/progress.h"
#include "stats/splitmix.h"
#include "util/log.h"
#include "util/process.h"

/* --- the command line --- */

/* 0 or -EINVAL. */
static int sides_parse(struct compare_params *params, char **words, unsigned num_words, char *reason, size_t size)
{
	struct child_program *program = params->sides;
	unsigned count = 0;

	while (count < num_words && strcmp(words[count], "--"))
		count++;
	if (count == num_words && num_words == COMPARE_NUM_SIDES &&
	    child_program_parse(program, words, 1, CHILD_ON_HOSTS, reason, size)) {
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

/* A run of each side. 0, -EINTR, or another -errno and *reason. */
static int pair_run(struct comparison *comparison, uint64_t *coin, char reason[TRIAL_REASON_SIZE])
{
	const struct compare_params *params = comparison->params;
	const bool b_first = splitmix_next(coin) >> 63;
	json_t *documents[COMPARE_NUM_SIDES] = {NULL};
	char why[TRIAL_REASON_SIZE];
	const char *fault = NULL;
	int ret = 0;

	strcpy(comparison->order[comparison->num_pairs], b_first ? "BA" : "AB");
	for (unsigned i = 0; i < COMPARE_NUM_SIDES && !ret; i++) {
		const unsigned side = i ^ b_first;

		ret = trial_run(&params->sides[side], params->limit_s, &documents[side], why);
		fault = ret ? why : figure_fault(documents[side]);
		if (fault && !ret)
			ret = -ENODATA;
		if (ret && ret != -EINTR)
			snprintf(reason, TRIAL_REASON_SIZE, "run %u of %c failed: %.*s", comparison->num_pairs + 1,
				 side ? 'B' : 'A', TRIAL_REASON_SIZE - 40, fault);
	}
	if (!ret) {
		ret = comparison_add(comparison, documents);
		if (ret)
			snprintf(reason, TRIAL_REASON_SIZE, "%s", comparison->fault);
	}
	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
		json_decref(documents[side]);
	return ret;
}

static void runs_make(struct comparison *comparison)
{
	static char reason[TRIAL_REASON_SIZE];
	struct progress progress;
	uint64_t coin = comparison->seed;
	int ret;

	progress_open(&progress, stderr);
	do {
		ret = pair_run(comparison, &coin, reason);
		if (!ret)
			ret = comparison_judge(comparison, false);
		progress_share(&progress, (double)comparison->num_pairs / comparison_most(comparison));
	} while (!ret && !comparison_is_over(comparison));
	progress_clear(&progress);
	comparison->interrupted = ret == -EINTR;
	if (!ret || comparison->interrupted)
		return;
	comparison->failure = ret == -ENOMEM ? "out of memory" : reason;
	log_error("%s", comparison->failure);
}

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
	const int own = command_begin(&compare_cli, argc, argv, &params, &params.show_help, &status);

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
