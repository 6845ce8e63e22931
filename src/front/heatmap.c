// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of `perftest matrix`: a row for each client, a column for each server, in blocks of a terminal's width. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/result.h"
#include "util/terminal.h"

#define BLOCK	  16 /* columns, so that 80 are enough for a line */
#define NAME	  10
#define MOST_SAID 20 /* failures; the JSON document has all */
#define SENTENCE  1024
#define RED	  "\033[31m"
#define YELLOW	  "\033[33m"
#define PLAIN	  "\033[0m"

void sentence_print(FILE *out, const char *format, ...)
{
	char text[SENTENCE], folded[2 * SENTENCE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(out, " %s\n", text_fold(text, terminal_columns(out), 1, 3, folded, sizeof(folded)));
}

/* For a terminal: how a share looks. */
static const char *colour_of(const struct result *result, double share)
{
	return share >= result->params->min_share / 100 ? "" : share >= 0.5 ? YELLOW : RED;
}

static void cell_print(const struct result *result, unsigned client, unsigned server, bool colours, FILE *out)
{
	const struct result_cell *cell = result_cell(result, client, server);
	const char *colour = "";
	char text[16] = "-";
	double share;

	if (client == server) {
		snprintf(text, sizeof(text), ".");
	} else if (cell->state == RESULT_FAILED) {
		snprintf(text, sizeof(text), "x");
		colour = RED;
	} else if (cell->state == RESULT_OK) {
		share = result_speed(result, cell->value) / result->verdict.level;
		snprintf(text, sizeof(text), "%.0f", fmin(999, 100 * share));
		colour = colour_of(result, share);
	}
	fprintf(out, " %s%3s%s", colours ? colour : "", text, colours && colour[0] ? PLAIN : "");
}

static void block_print(const struct result *result, unsigned first, bool colours, FILE *out)
{
	const unsigned end = first + BLOCK < result->num_hosts ? first + BLOCK : result->num_hosts;

	fprintf(out, "\n %3s %-*s", "", NAME, "server");
	for (unsigned server = first; server < end; server++)
		fprintf(out, " %3u", server);
	fprintf(out, "\n");
	for (unsigned client = 0; client < result->num_hosts; client++) {
		fprintf(out, " %3u %-*.*s", client, NAME, NAME, result->hosts[client].name);
		for (unsigned server = first; server < end; server++)
			cell_print(result, client, server, colours, out);
		fprintf(out, "\n");
	}
}

static unsigned reasons_count(const struct result *result, const char *reason)
{
	unsigned count = 0;

	for (size_t i = 0; i < (size_t)result->num_hosts * result->num_hosts; i++)
		count += result->cells[i].reason && strcmp(result->cells[i].reason, reason) == 0;
	return count;
}

static bool is_said(const char *const *said, unsigned num_said, const char *reason)
{
	for (unsigned i = 0; i < num_said; i++)
		if (strcmp(said[i], reason) == 0)
			return true;
	return false;
}

/* Failures and missed limits with the same words are said once; those of a lost host not at all. */
static void failures_print(const struct result *result, FILE *out)
{
	const char *said[MOST_SAID];
	unsigned num_said = 0, left = 0;

	for (unsigned i = 0; i < result->num_hosts; i++)
		if (result->hosts[i].lost[0] && !(result->interrupted && result->hosts[i].interrupted))
			sentence_print(out, "lost: %s %s", result->hosts[i].name, result->hosts[i].lost);
	for (size_t i = 0; i < (size_t)result->num_hosts * result->num_hosts; i++) {
		const struct result_host *client = &result->hosts[i / result->num_hosts],
					 *server = &result->hosts[i % result->num_hosts];
		const char *reason = result->cells[i].reason;

		if (!reason || client->lost[0] || server->lost[0] || is_said(said, num_said, reason))
			continue;
		if (num_said == MOST_SAID) {
			left++;
			continue;
		}
		said[num_said++] = reason;
		sentence_print(out, "%s: %s with %s as its server%s: %s",
			       result->cells[i].state == RESULT_OK ? "missed" : "failed", client->name, server->name,
			       reasons_count(result, reason) > 1 ? " and others" : "", reason);
	}
	if (left)
		sentence_print(out, "failed or missed: %u more pairs", left);
}

static void verdict_print(const struct result *result, FILE *out)
{
	const struct verdict *verdict = &result->verdict;
	unsigned named = 0;
	char text[RESULT_TEXT_SIZE];

	for (unsigned i = 0; i < verdict->num_findings; i++) {
		named += !result->named[i].cleared;
		sentence_print(out, "%s: %s", result->named[i].cleared ? "only beside others" : "slow",
			       result_describe(result, &result->named[i], text));
	}
	if (verdict->compared < VERDICT_LEAST_HOSTS)
		sentence_print(out, "%u hosts cannot be compared: none of them is the usual one", verdict->compared);
	else if (!named && !result->interrupted)
		sentence_print(out, "no host or link is below %.0f %% of the others", 100 * verdict->limit);
	if (verdict->compared >= VERDICT_LEAST_HOSTS && verdict->limit < result->params->min_share / 100)
		sentence_print(out, "The pairs differ by %.1f %%, so that only what is below %.0f %% can be named.",
			       100 * verdict->spread, 100 * verdict->limit);
}

void heatmap_print(const struct result *result, FILE *out)
{
	const bool colours = isatty(fileno(out)) && !getenv("NO_COLOR");
	const struct matrix_params *params = result->params;

	sentence_print(out, "perftest matrix %s: %u hosts, %u round%s of %s%s%s", params->program.name,
		       result->num_hosts, result->rounds, result->rounds == 1 ? "" : "s", params->pairing->meaning,
		       params->launcher ? ", ranks by " : "", params->launcher ? params->launcher : "");
	if (result->figure) {
		sentence_print(out, "100 = %.4g %s, usual of a host; less is slower; x: failed; -: not measured",
			       result_usual(result) * result->figure->to_shown, result->figure->unit);
		for (unsigned first = 0; first < result->num_hosts; first += BLOCK)
			block_print(result, first, colours, out);
		fprintf(out, "\n");
		verdict_print(result, out);
	}
	failures_print(result, out);
	if (result->interrupted)
		sentence_print(out, "stopped by the user: this is what was measured until then");
}
