// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See result.h. */
#include "front/matrix/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/process.h"
#include "util/terminal.h"

#define SHARE_SIZE 64
#define TAIL_SHARE 0.5	 /* tails differ more: twice the time of the others */
#define LOSS_SHARE 0.998 /* of what is sent: 0.2 % more is lost than by the others */

int result_open(struct result *result, const struct matrix_params *params, unsigned num_hosts)
{
	const unsigned adapters = num_hosts * params->adapters.count;

	*result = (struct result){
		.params = params, .num_hosts = num_hosts, .num_adapters = adapters, .verdicts[0].level = NAN};
	result->hosts = calloc(num_hosts, sizeof(*result->hosts));
	result->cells = calloc((size_t)adapters * adapters, sizeof(*result->cells));
	result->unreached = calloc((size_t)num_hosts * num_hosts, sizeof(*result->unreached));
	return result->hosts && result->cells && result->unreached ? 0 : -ENOMEM;
}

static void cell_clear(struct result_cell *cell)
{
	free(cell->reason);
	free(cell->document);
	*cell = (struct result_cell){0};
}

void result_reset(struct result *result)
{
	for (size_t i = 0; result->cells && i < (size_t)result->num_adapters * result->num_adapters; i++)
		cell_clear(&result->cells[i]);
	if (result->unreached)
		memset(result->unreached, 0, (size_t)result->num_hosts * result->num_hosts);
	free(result->named);
	*result = (struct result){.params = result->params,
				  .num_hosts = result->num_hosts,
				  .hosts = result->hosts,
				  .num_adapters = result->num_adapters,
				  .cells = result->cells,
				  .unreached = result->unreached,
				  .verdicts[0].level = NAN};
}

void result_close(struct result *result)
{
	result_reset(result);
	free(result->unreached);
	free(result->cells);
	free(result->hosts);
}

const char *result_name(const struct result *result, unsigned adapter)
{
	static char names[8][RESULT_NAME_SIZE + MATRIX_ADAPTER_SIZE];
	static unsigned next;
	const struct matrix_adapters *adapters = &result->params->adapters;
	const char *host = result->hosts[result_rank(result, adapter)].name;
	char *name = names[next++ % 8];

	if (!adapters->names[0])
		return host;
	snprintf(name, sizeof(names[0]), "%s:%s", host, adapters->names[adapter % adapters->count]);
	return name;
}

void result_set(struct result_cell *cell, const struct dispatch *ended)
{
	cell_clear(cell);
	cell->state = RESULT_OK;
	cell->value = ended->value;
	memcpy(cell->tails, ended->tails, sizeof(cell->tails));
	cell->sendings = ended->sendings > 0 ? fmax(1, ended->sendings) : 0;
	cell->reason = ended->reason[0] ? strdup(ended->reason) : NULL;
	cell->document = ended->document.length ? strndup(ended->document.text, ended->document.length) : NULL;
}

void result_fail(struct result_cell *cell, const char *reason)
{
	cell_clear(cell);
	cell->state = RESULT_FAILED;
	cell->reason = strdup(reason);
}

double result_speed(const struct result *result, double value)
{
	return result->figure->lower_is_best ? 1 / value : value;
}

const char *result_began(const struct result *result, const char *before, char text[RESULT_BEGAN_SIZE])
{
	struct tm calendar;
	const size_t used = (size_t)snprintf(text, RESULT_BEGAN_SIZE, "%s", before);

	if (!result->params->every_s || !gmtime_r(&result->began, &calendar) ||
	    !strftime(text + used, RESULT_BEGAN_SIZE - used, "%Y-%m-%dT%H:%M:%SZ", &calendar))
		text[0] = '\0';
	return text;
}

double result_usual(const struct result *result)
{
	return result_speed(result, result->verdicts[0].level); /* its own inverse */
}

double result_rate(const struct result *result, const struct result_cell *cell, unsigned subject)
{
	if (cell->state != RESULT_OK)
		return NAN;
	if (!subject)
		return result_speed(result, cell->value);
	if (subject == RESULT_LOSS)
		return cell->sendings > 0 ? 1 / cell->sendings : NAN;
	return result->figure->lower_is_best && cell->tails[subject - 1] > 0 ? 1 / cell->tails[subject - 1] : NAN;
}

/* 0 or -ENOMEM. */
static int subject_judge(struct result *result, double *rates, unsigned subject)
{
	const size_t cells = (size_t)result->num_adapters * result->num_adapters;
	const double share = subject == RESULT_LOSS ? LOSS_SHARE
			     : subject		    ? TAIL_SHARE
						    : result->params->min_share / 100;
	struct verdict *verdict = &result->verdicts[subject];
	struct result_named *named;
	int ret;

	for (size_t i = 0; i < cells; i++)
		rates[i] = result_rate(result, &result->cells[i], subject);
	ret = verdict_make(verdict, rates, result->num_adapters, share);
	if (ret)
		return ret;
	named = realloc(result->named, (result->num_named + verdict->num_findings + 1) * sizeof(*named));
	if (named)
		result->named = named;
	for (unsigned i = 0; i < verdict->num_findings && named; i++)
		result->named[result->num_named++] =
			(struct result_named){.finding = verdict->findings[i], .subject = subject, .alone = NAN};
	verdict_close(verdict);
	return named ? 0 : -ENOMEM;
}

int result_judge(struct result *result)
{
	double *rates = calloc((size_t)result->num_adapters * result->num_adapters, sizeof(*rates));
	int ret = rates ? subject_judge(result, rates, 0) : -ENOMEM;

	for (unsigned i = 0; i < RESULT_LOSS && !ret; i++)
		ret = subject_judge(result, rates, i ? i : RESULT_LOSS);
	free(rates);
	return ret;
}

/* What a client and a server do in the program. */
static const char *verb_of(const struct result *result, enum verdict_kind kind)
{
	const struct child_program *program = &result->params->program;
	bool reads = strstr(program->name, "read") != NULL;

	if (result->figure->lower_is_best)
		return kind == VERDICT_CLIENT ? "asks" : "answers";
	for (unsigned i = 0; i < program->num_options; i++)
		reads |= strstr(program->options[i], "_read_") != NULL;
	return (kind == VERDICT_CLIENT) != reads ? "sends" : "receives";
}

/* A share as the user thinks of the figure. */
static const char *share_text(const struct result *result, double share, char text[SHARE_SIZE])
{
	if (result->figure->lower_is_best)
		snprintf(text, SHARE_SIZE, "in %.3g times the time", 1 / share);
	else
		snprintf(text, SHARE_SIZE, "at %.0f %%", 100 * share);
	return text;
}

const char *result_word(const struct result_named *named)
{
	return named->cleared ? "only beside others" : named->subject == RESULT_LOSS ? "lossy" : "slow";
}

const char *result_describe(const struct result *result, const struct result_named *named, char text[RESULT_TEXT_SIZE])
{
	const struct verdict_finding *finding = &named->finding;
	const char *client = result_name(result, finding->client), *server = result_name(result, finding->server);
	const char *host = finding->kind == VERDICT_CLIENT ? client : server, *verb = verb_of(result, finding->kind);
	const bool is_loss = named->subject == RESULT_LOSS; /* then shares are those of what arrives at once */
	const double lost = 100 * (1 - finding->share);
	char share[SHARE_SIZE], alone[SHARE_SIZE], place[SHARE_SIZE] = "";

	share_text(result, finding->share, share);
	share_text(result, named->alone, alone);
	if (is_loss)
		snprintf(alone, sizeof(alone), "%.2g %%", 100 * fmax(0, 1 - named->alone));
	if (result_is_tail(named))
		snprintf(place, sizeof(place), "at the percentile %g ", figure_tails[named->subject - 1]);
	if (finding->kind == VERDICT_LINK && is_loss)
		snprintf(text, RESULT_TEXT_SIZE, "%s with %s as its server loses %.2g %% more than is usual for both",
			 client, server, lost);
	else if (finding->kind == VERDICT_LINK)
		snprintf(text, RESULT_TEXT_SIZE, "%s with %s as its server: %s%s of what is usual for both", client,
			 server, place, share);
	else if (is_loss)
		snprintf(text, RESULT_TEXT_SIZE, "%s loses %.2g %% more of what it %s than the others (%u of %u pairs)",
			 host, lost, verb, finding->slow, finding->pairs);
	else
		snprintf(text, RESULT_TEXT_SIZE, "%s %s %s%s of the others (%u of %u pairs)", host, verb, place, share,
			 finding->slow, finding->pairs);
	if (!isnan(named->alone))
		text_add(text, RESULT_TEXT_SIZE, "; measured alone %s", alone);
	return text;
}

const char *result_why_none(const struct result *result, char text[RESULT_TEXT_SIZE])
{
	snprintf(text, RESULT_TEXT_SIZE, "no two hosts came");
	for (size_t i = (size_t)result->num_adapters * result->num_adapters; i-- > 0;)
		if (result->cells[i].state == RESULT_FAILED && result->cells[i].reason)
			snprintf(text, RESULT_TEXT_SIZE, "%s", result->cells[i].reason);
	for (unsigned i = result->num_hosts; i-- > 0;)
		if (result->hosts[i].lost[0])
			snprintf(text, RESULT_TEXT_SIZE, "%s %s", result->hosts[i].name, result->hosts[i].lost);
	return text;
}

size_t result_missed(const struct result *result)
{
	size_t count = 0;

	for (size_t i = 0; i < (size_t)result->num_adapters * result->num_adapters; i++)
		count += result->cells[i].state == RESULT_OK && result->cells[i].reason;
	return count;
}

int result_status(const struct result *result)
{
	int status = EXIT_STATUS_OK;

	if (result->interrupted)
		return EXIT_STATUS_INTERRUPTED;
	for (unsigned i = 0; i < result->num_named; i++)
		if (!result->named[i].cleared)
			status = EXIT_STATUS_LIMIT;
	if (result_missed(result))
		status = EXIT_STATUS_LIMIT;
	for (unsigned i = 0; i < result->num_hosts; i++)
		if (result->hosts[i].lost[0])
			status = EXIT_STATUS_FAILURE;
	for (size_t i = 0; i < (size_t)result->num_adapters * result->num_adapters; i++)
		if (result->cells[i].state == RESULT_FAILED)
			status = EXIT_STATUS_FAILURE;
	return status;
}
