// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The controller's course of `perftest matrix`: the rounds of the pattern, what is slow once more alone, the output. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "front/hub.h"
#include "report/envelope.h"
#include "report/progress.h"
#include "stats/clock.h"
#include "util/deadline.h"
#include "util/exit_status.h"
#include "util/log.h"
#include "util/stdio.h"

#define MOST_AGAIN 32 /* findings that are measured again, the worst first */
#define AGAIN	   3  /* pairs of a host, or times of a pair */

struct course {
	const struct matrix_params *params;
	struct result result;
	struct hub hub;
	struct hub_pair *pairs; /* room for those of a round */
	struct progress progress;
	struct deadline began;
	unsigned done, steps;
};

static unsigned batches(const struct course *course, unsigned num_pairs)
{
	const unsigned most = course->params->parallel;

	return most ? (num_pairs + most - 1) / most : num_pairs > 0;
}

/* Each pair once; the one with the lower rank is the client. */
static unsigned round_pairs(struct course *course, unsigned round)
{
	const struct pairing *pairing = course->params->pairing;
	unsigned count = 0;

	for (unsigned rank = 0; rank < course->result.num_hosts; rank++) {
		const unsigned peer = pairing->peer(round, course->result.num_hosts, rank);

		if (peer != PAIRING_IDLE && rank < peer)
			course->pairs[count++] = (struct hub_pair){rank, peer};
	}
	return count;
}

static void progress_step(struct course *course)
{
	const double seconds = (double)(deadline_in_ms(0).at_ns - course->began.at_ns) / 1e9;

	progress_show(&course->progress,
		      &(struct progress_state){.fraction = (double)course->done / course->steps, .seconds = seconds});
}

static int round_run(struct course *course, unsigned round)
{
	const unsigned num_pairs = round_pairs(course, round), num_batches = batches(course, num_pairs);
	const unsigned most = course->params->parallel ? course->params->parallel : num_pairs;
	int ret = 0;

	for (unsigned batch = 0; batch < num_batches && !ret; batch++) {
		struct hub_pair *pairs = course->pairs + (size_t)batch * most;
		const unsigned left = num_pairs - batch * most, count = left < most ? left : most;

		for (unsigned way = 0; way < 2 && !ret; way++) {
			ret = hub_measure(&course->hub, pairs, count);
			for (unsigned i = 0; i < count; i++)
				pairs[i] = (struct hub_pair){pairs[i].server, pairs[i].client};
			course->done++;
			progress_step(course);
		}
	}
	return ret;
}

static int rounds_run(struct course *course)
{
	const unsigned num_rounds = course->params->pairing->rounds(course->result.num_hosts);
	int ret = 0;

	for (unsigned round = 0; round < num_rounds; round++)
		course->steps += 2 * batches(course, round_pairs(course, round));
	progress_open(&course->progress, stderr);
	course->began = deadline_in_ms(0);
	for (unsigned round = 0; round < num_rounds && !ret; round++) {
		ret = round_run(course, round);
		course->result.rounds += !ret;
	}
	progress_clear(&course->progress);
	return ret;
}

/* A pair alone; its figure of before stays. NaN: it has none now. -EINTR, or 0. */
static int pair_again(struct course *course, unsigned client, unsigned server, double *rate)
{
	struct result_cell *cell = result_cell(&course->result, client, server), before = *cell;
	int ret;

	*cell = (struct result_cell){0};
	ret = hub_measure(&course->hub, &(struct hub_pair){client, server}, 1);
	*rate = cell->state == RESULT_OK ? result_speed(&course->result, cell->value) : NAN;
	free(cell->reason);
	free(cell->measurement);
	*cell = before;
	return ret;
}

/* Is a host slow in a role? */
static bool is_suspect(const struct result *result, enum verdict_kind kind, unsigned host)
{
	for (unsigned i = 0; i < result->verdict.num_findings; i++) {
		const struct verdict_finding *finding = &result->verdict.findings[i];

		if (finding->kind == kind && (kind == VERDICT_CLIENT ? finding->client : finding->server) == host)
			return true;
	}
	return false;
}

/* A host with some peers that are not suspects themselves. -EINTR, or 0. */
static int host_again(struct course *course, struct result_named *named)
{
	const struct result *result = &course->result;
	const bool as_client = named->finding.kind == VERDICT_CLIENT;
	const unsigned host = as_client ? named->finding.client : named->finding.server;
	double rates[AGAIN];
	unsigned count = 0;
	int ret = 0;

	for (unsigned step = 1; step < result->num_hosts && count < AGAIN && !ret; step++) {
		const unsigned peer = (host + step) % result->num_hosts, client = as_client ? host : peer,
			       server = as_client ? peer : host;

		if (result_cell(result, client, server)->state != RESULT_OK ||
		    is_suspect(result, as_client ? VERDICT_SERVER : VERDICT_CLIENT, peer))
			continue;
		ret = pair_again(course, client, server, &rates[count]);
		count += !ret && isfinite(rates[count]);
	}
	named->alone = verdict_share(&result->verdict, rates, count);
	return ret;
}

static int link_again(struct course *course, struct result_named *named)
{
	const struct verdict_finding *finding = &named->finding;
	const struct result_cell *cell = result_cell(&course->result, finding->client, finding->server);
	const double expected = result_speed(&course->result, cell->value) / finding->share;
	double rates[AGAIN];
	unsigned count = 0;
	int ret = 0;

	for (unsigned time = 0; time < AGAIN && !ret; time++) {
		ret = pair_again(course, finding->client, finding->server, &rates[count]);
		count += !ret && isfinite(rates[count]);
	}
	named->alone = verdict_share(&course->result.verdict, rates, count) * course->result.verdict.level / expected;
	return ret;
}

static int suspects_again(struct course *course)
{
	struct result *result = &course->result;
	int ret = 0;

	if (!result->figure || result_judge(result))
		return result->figure ? -ENOMEM : 0;
	for (unsigned i = 0; i < result->verdict.num_findings && i < MOST_AGAIN && !ret && !result->interrupted; i++) {
		struct result_named *named = &result->named[i];

		ret = named->finding.kind == VERDICT_LINK ? link_again(course, named) : host_again(course, named);
		named->cleared = named->alone >= result->verdict.limit;
	}
	return ret;
}

int hub_main(const struct matrix_params *params, struct listener *listener, struct crew *crew)
{
	static struct course course; /* for the exit status of all paths */
	struct envelope envelope = {0};
	char why[RESULT_TEXT_SIZE];
	int ret;

	course = (struct course){.params = params};
	clock_start(false /* the counter, if it can be trusted */);
	ret = envelope_open(&envelope, FORMAT_TEXT, stdout, params->json_file[0] ? params->json_file : NULL);
	if (ret) {
		listener_close(listener);
		return EXIT_STATUS_FAILURE;
	}
	ret = result_open(&course.result, params, params->hosts);
	course.pairs = calloc(params->hosts, sizeof(*course.pairs));
	if (ret || !course.pairs) {
		log_error("no memory for the figures of %u hosts", params->hosts);
		listener_close(listener);
		ret = EXIT_STATUS_FAILURE;
		goto out;
	}
	ret = hub_open(&course.hub, params, listener, crew, &course.result);
	if (ret) {
		ret = ret == -EINTR ? EXIT_STATUS_INTERRUPTED : EXIT_STATUS_FAILURE;
		goto out;
	}
	if (envelope_is_open(&envelope))
		envelope_begin(&envelope, "perftest", "host", "matrix");
	ret = rounds_run(&course);
	course.result.interrupted = ret == -EINTR;
	ret = suspects_again(&course);
	course.result.interrupted |= ret == -EINTR;
	hub_close(&course.hub);
	if (ret == -ENOMEM)
		log_error("no memory for the verdict");
	if (!course.result.figure && !course.result.interrupted)
		log_error("no pair could be measured: %s", result_why_none(&course.result, why));
	heatmap_print(&course.result, stdout);
	ret = ret == -ENOMEM ? EXIT_STATUS_FAILURE : result_status(&course.result);
	if (stdio_status() || (envelope_is_open(&envelope) && export_write(&course.result, &envelope)))
		ret = EXIT_STATUS_FAILURE;
out:
	envelope_close(&envelope);
	free(course.pairs);
	result_close(&course.result);
	return ret;
}
