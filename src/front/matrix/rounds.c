// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The controller's course of `perftest matrix`: the rounds of the pattern, what is slow once more alone, the output. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "front/command.h"
#include "front/matrix/hub.h"
#include "report/envelope.h"
#include "report/progress.h"
#include "stats/clock.h"
#include "stats/confidence.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/process.h"
#include "util/stop.h"

#define LEAST_TOGETHER 0.9 /* of the longest test: for so long all of a step ran, or the sum is none */

struct course {
	const struct matrix_params *params;
	struct result result;
	struct hub hub;
	struct hub_pair *pairs;	     /* room for those of a round */
	struct pairing_pair *paired; /* the same */
	struct envelope envelope;
	struct progress progress;
	unsigned done, total; /* pairs */
	double *sums;	      /* of steps with so many pairs: what these have together */
	unsigned num_sums, most;
	double shortest, longest; /* seconds, of the pairs of this step */
	unsigned passes;	  /* that are over */
	bool is_over;		  /* the instances have been told to end */
	bool again;		  /* something is measured once more, which is no new pair */
};

static void note_elapsed(struct course *course, const struct result_cell *cell)
{
	json_t *document = cell->document ? json_loads(cell->document, 0 /* no flags */, NULL) : NULL;
	const double elapsed = figure_elapsed(document);

	course->shortest = fmin(course->shortest, elapsed);
	course->longest = fmax(course->longest, elapsed);
	json_decref(document);
}

/* A pair is over, or (NULL) a second has passed. */
static void course_over(void *context, const struct hub_pair *pair)
{
	struct course *course = context;

	if (course->again)
		return;
	if (pair) {
		const unsigned client = pair->adapters[HUB_CLIENT], server = pair->adapters[HUB_SERVER];
		struct result_cell *cell = result_cell(&course->result, client, server);

		if (course->params->output.format == FORMAT_CSV)
			export_csv_pair(&course->result, client, server, stdout);
		if (envelope_is_open(&course->envelope))
			export_pair(&course->result, &course->envelope, client, server);
		note_elapsed(course, cell);
		free(cell->document);
		cell->document = NULL;
		course->done++;
	}
	progress_share(&course->progress, (double)course->done / course->total);
}

/* What the pairs had together, if all of them ran for nearly all of the time. */
static void together_add(struct course *course, const struct hub_pair *pairs, unsigned count)
{
	const double common = course->shortest - (double)course->hub.spread_ns / 1e9;
	const struct result *result = &course->result;
	double sum = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct result_cell *cell =
			result_cell(result, pairs[i].adapters[HUB_CLIENT], pairs[i].adapters[HUB_SERVER]);

		if (cell->state != RESULT_OK)
			return;
		sum += cell->value;
	}
	if (count < 2 || count < course->most || result->figure->lower_is_best ||
	    common < LEAST_TOGETHER * course->longest)
		return;
	if (count > course->most)
		course->num_sums = 0;
	course->most = count;
	course->sums[course->num_sums++] = sum;
}

static struct result_together together_of(double *sums, unsigned count)
{
	const double median = confidence_of_median(sums, count).center; /* sorts them */

	return count ? (struct result_together){count, sums[0], median, sums[count - 1]} : (struct result_together){0};
}

/* Pairs at the same time. -EINTR, or 0. */
static int step_run(struct course *course, struct hub_pair *pairs, unsigned count)
{
	struct result *result = &course->result;
	int ret;

	course->shortest = INFINITY;
	course->longest = 0;
	ret = hub_measure(&course->hub, pairs, count);
	if (!ret)
		together_add(course, pairs, count);
	if (count > 1 && course->hub.spread_ns > result->spread_ns)
		result->spread_ns = course->hub.spread_ns;
	return ret;
}

static unsigned round_pairs(struct course *course, unsigned round)
{
	const struct matrix_params *params = course->params;

	return pairing_pairs(params->pairing, params->field, params->hosts, params->adapters.count, round,
			     course->paired);
}

static unsigned num_ways(const struct course *course)
{
	return course->params->pairing->ways == PAIRING_BOTH ? 2 : 1;
}

static int round_run(struct course *course, unsigned round)
{
	const unsigned num_pairs = round_pairs(course, round);
	const unsigned most = course->params->parallel ? course->params->parallel : num_pairs;
	int ret = 0;

	for (unsigned first = 0; first < num_pairs && !ret; first += most) {
		const unsigned left = num_pairs - first, count = left < most ? left : most;

		for (unsigned way = 0; way < num_ways(course) && !ret; way++) {
			for (unsigned i = 0; i < count; i++) {
				const struct pairing_pair *pair = &course->paired[first + i];

				course->pairs[i].adapters[HUB_CLIENT] = way ? pair->server : pair->client;
				course->pairs[i].adapters[HUB_SERVER] = way ? pair->client : pair->server;
			}
			ret = step_run(course, course->pairs, count);
		}
	}
	return ret;
}

static int rounds_run(struct course *course)
{
	const struct matrix_params *params = course->params;
	const unsigned num_rounds =
		pairing_rounds(params->pairing, params->field, params->hosts, params->adapters.count);
	unsigned steps = 0;
	int ret = 0;

	course->done = course->total = course->num_sums = course->most = 0;
	course->again = false;
	for (unsigned round = 0; round < num_rounds; round++) {
		const unsigned count = round_pairs(course, round);

		course->total += num_ways(course) * count;
		steps += num_ways(course) * (params->parallel ? count / params->parallel + 1 : 1);
	}
	course->sums = calloc(steps, sizeof(*course->sums));
	if (!course->sums)
		return -ENOMEM;
	progress_open(&course->progress, stderr);
	for (unsigned round = 0; round < num_rounds && !ret; round++) {
		ret = round_run(course, round);
		course->result.rounds += !ret;
	}
	course->result.together = together_of(course->sums, course->num_sums);
	free(course->sums);
	progress_clear(&course->progress);
	return ret;
}

/* A pair alone, for suspects.c; its figures of before stay. */
static int pair_again(void *context, unsigned client, unsigned server, double rates[RESULT_SUBJECTS])
{
	struct course *course = context;
	struct result_cell *cell = result_cell(&course->result, client, server), before = *cell;
	int ret;

	*cell = (struct result_cell){0};
	course->again = true;
	ret = hub_measure(&course->hub, &(struct hub_pair){.adapters = {client, server}}, 1);
	for (unsigned subject = 0; subject < RESULT_SUBJECTS; subject++)
		rates[subject] = result_rate(&course->result, cell, subject);
	free(cell->reason);
	free(cell->document);
	*cell = before;
	return ret;
}

/* The instances are told that this is the end, and need not wait for the output. */
static void course_end(struct course *course)
{
	if (!course->is_over)
		hub_close(&course->hub);
	course->is_over = true;
}

/* Measures all once, into the document that is open or, later, another one. An enum exit_status. */
static int pass_run(struct course *course)
{
	struct result *result = &course->result;
	struct envelope *envelope = &course->envelope;
	const struct matrix_params *params = course->params;
	char why[RESULT_TEXT_SIZE];
	int ret;

	if (course->passes && command_document(envelope, &params->output))
		return EXIT_STATUS_FAILURE;
	if (params->output.format == FORMAT_CSV && !course->passes)
		export_csv_heading(result, stdout);
	if (envelope_is_open(envelope))
		export_begin(result, envelope);
	result->began = time(NULL);
	ret = rounds_run(course);
	result->interrupted = ret == -EINTR;
	if (ret != -ENOMEM)
		ret = suspects_judge(result, pair_again, course);
	result->interrupted |= ret == -EINTR;
	if (!params->every_s || result->interrupted)
		course_end(course);
	if (ret == -ENOMEM)
		log_error("no memory for the verdict");
	if (params->output.format == FORMAT_TEXT)
		heatmap_print(result, stdout);
	else
		export_report(result);
	if (!result->figure && !result->interrupted)
		log_error("no pair could be measured%s%s", params->output.format == FORMAT_TEXT ? ": " : "",
			  params->output.format == FORMAT_TEXT ? result_why_none(result, why) : "");
	ret = ret == -ENOMEM ? EXIT_STATUS_FAILURE : result_status(result);
	if (result->interrupted && course->passes)
		envelope_keep_file(envelope); /* it has the last time, which is whole */
	if (stdio_status() || (envelope_is_open(envelope) && export_end(result, envelope)))
		ret = EXIT_STATUS_FAILURE;
	envelope_close(envelope);
	course->passes++;
	return ret;
}

/* --every: one pass after the other, until the user stops or too few are left. An enum exit_status. */
static int course_run(struct course *course)
{
	const struct matrix_params *params = course->params;
	int ret, rest;

	course->hub.over = course_over;
	course->hub.context = course;
	for (;;) {
		const struct deadline next = deadline_in_ms(1000LL * params->every_s);

		ret = pass_run(course);
		if (!params->every_s || course->result.interrupted)
			break;
		rest = hub_rest(&course->hub, next);
		if (rest) {
			ret = rest == -EINTR ? EXIT_STATUS_INTERRUPTED : EXIT_STATUS_FAILURE;
			if (rest != -EINTR)
				log_error("too few hosts are left to measure again (--every)");
			break;
		}
		result_reset(&course->result);
	}
	course_end(course);
	return ret;
}

int hub_main(const struct matrix_params *params, struct listener *listener, struct crew *crew)
{
	static struct course course; /* for the exit status of all paths */
	const size_t most = (size_t)params->hosts * params->adapters.count;
	int ret;

	course = (struct course){.params = params};
	clock_start(false /* the counter, if it can be trusted */);
	if (command_document(&course.envelope, &params->output)) {
		listener_close(listener);
		return EXIT_STATUS_FAILURE;
	}
	ret = result_open(&course.result, params, params->hosts);
	course.pairs = calloc(most, sizeof(*course.pairs));
	course.paired = calloc(most, sizeof(*course.paired));
	if (ret || !course.pairs || !course.paired) {
		log_error("no memory for the figures of %u hosts", params->hosts);
		listener_close(listener);
		ret = EXIT_STATUS_FAILURE;
	} else {
		ret = hub_open(&course.hub, params, listener, crew, &course.result);
		if (ret)
			ret = ret == -EINTR ? EXIT_STATUS_INTERRUPTED : EXIT_STATUS_FAILURE;
		else
			ret = course_run(&course);
	}
	envelope_close(&course.envelope);
	free(course.paired);
	free(course.pairs);
	result_close(&course.result);
	return ret;
}
