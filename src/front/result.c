// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See result.h. */
#include "front/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/exit_status.h"

#define SHARE_SIZE 64

int result_open(struct result *result, const struct matrix_params *params, unsigned num_hosts)
{
	*result = (struct result){.params = params, .num_hosts = num_hosts, .verdict.level = NAN};
	result->hosts = calloc(num_hosts, sizeof(*result->hosts));
	result->cells = calloc((size_t)num_hosts * num_hosts, sizeof(*result->cells));
	return result->hosts && result->cells ? 0 : -ENOMEM;
}

static void cell_clear(struct result_cell *cell)
{
	free(cell->reason);
	free(cell->measurement);
	*cell = (struct result_cell){0};
}

void result_close(struct result *result)
{
	for (size_t i = 0; result->cells && i < (size_t)result->num_hosts * result->num_hosts; i++)
		cell_clear(&result->cells[i]);
	verdict_close(&result->verdict);
	free(result->named);
	free(result->cells);
	free(result->hosts);
}

void result_set(struct result_cell *cell, double value, const char *missed, const char *measurement, size_t length)
{
	cell_clear(cell);
	cell->state = RESULT_OK;
	cell->value = value;
	cell->reason = missed[0] ? strdup(missed) : NULL;
	cell->measurement = measurement && length ? strndup(measurement, length) : NULL;
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

double result_usual(const struct result *result)
{
	return result_speed(result, result->verdict.level); /* its own inverse */
}

int result_judge(struct result *result)
{
	const size_t cells = (size_t)result->num_hosts * result->num_hosts;
	double *rates = calloc(cells, sizeof(*rates));
	int ret;

	if (!rates)
		return -ENOMEM;
	for (size_t i = 0; i < cells; i++)
		rates[i] = result->cells[i].state == RESULT_OK ? result_speed(result, result->cells[i].value) : NAN;
	ret = verdict_make(&result->verdict, rates, result->num_hosts, result->params->min_share / 100);
	free(rates);
	if (ret)
		return ret;
	result->named = calloc(result->verdict.num_findings + 1, sizeof(*result->named));
	if (!result->named)
		return -ENOMEM;
	for (unsigned i = 0; i < result->verdict.num_findings; i++)
		result->named[i] = (struct result_named){.finding = result->verdict.findings[i], .alone = NAN};
	return 0;
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

const char *result_describe(const struct result *result, const struct result_named *named, char text[RESULT_TEXT_SIZE])
{
	const struct verdict_finding *finding = &named->finding;
	const struct result_host *client = &result->hosts[finding->client], *server = &result->hosts[finding->server];
	char share[SHARE_SIZE], alone[SHARE_SIZE];
	int used;

	share_text(result, finding->share, share);
	if (finding->kind == VERDICT_LINK)
		used = snprintf(text, RESULT_TEXT_SIZE, "%s with %s as its server: %s of what is usual for both",
				client->name, server->name, share);
	else
		used = snprintf(text, RESULT_TEXT_SIZE, "%s %s %s of the others (%u of %u pairs)",
				finding->kind == VERDICT_CLIENT ? client->name : server->name,
				verb_of(result, finding->kind), share, finding->slow, finding->pairs);
	if (!isnan(named->alone))
		snprintf(text + used, RESULT_TEXT_SIZE - (size_t)used, "; measured alone %s",
			 share_text(result, named->alone, alone));
	return text;
}

const char *result_why_none(const struct result *result, char text[RESULT_TEXT_SIZE])
{
	snprintf(text, RESULT_TEXT_SIZE, "no two hosts came");
	for (size_t i = (size_t)result->num_hosts * result->num_hosts; i-- > 0;)
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

	for (size_t i = 0; i < (size_t)result->num_hosts * result->num_hosts; i++)
		count += result->cells[i].state == RESULT_OK && result->cells[i].reason;
	return count;
}

int result_status(const struct result *result)
{
	int status = EXIT_STATUS_OK;

	if (result->interrupted)
		return EXIT_STATUS_INTERRUPTED;
	for (unsigned i = 0; i < result->verdict.num_findings; i++)
		if (!result->named[i].cleared)
			status = EXIT_STATUS_LIMIT;
	if (result_missed(result))
		status = EXIT_STATUS_LIMIT;
	for (unsigned i = 0; i < result->num_hosts; i++)
		if (result->hosts[i].lost[0])
			status = EXIT_STATUS_FAILURE;
	for (size_t i = 0; i < (size_t)result->num_hosts * result->num_hosts; i++)
		if (result->cells[i].state == RESULT_FAILED)
			status = EXIT_STATUS_FAILURE;
	return status;
}
