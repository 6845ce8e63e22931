// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of `perftest matrix`: a row for each client, a column for each server, in blocks of a terminal's width. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/command.h"
#include "front/matrix/result.h"
#include "util/terminal.h"

#define BLOCK	   16 /* columns, so that 80 are enough for a line */
#define MOST_ALONE 64
#define NAME	   9
#define RED	   "\033[31m"
#define YELLOW	   "\033[33m"
#define PLAIN	   "\033[0m"

/* For a terminal: how a share looks. */
static const char *colour_of(const struct result *result, double share)
{
	return share >= result->params->min_share / 100 ? "" : share >= 0.5 ? YELLOW : RED;
}

/* What a cell shows: the slowest of its pairs, unless one has failed. */
struct shown {
	bool is_own, has_failed;
	double share; /* NaN: none was measured */
};

static struct shown shown_of(const struct result *result, unsigned client, unsigned server, unsigned scale)
{
	struct shown shown = {.is_own = client == server && scale == 1, .share = NAN};

	for (unsigned c = client; c < client + scale && c < result->num_adapters; c++) {
		for (unsigned s = server; s < server + scale && s < result->num_adapters; s++) {
			const struct result_cell *cell = result_cell(result, c, s);

			shown.has_failed |= cell->state == RESULT_FAILED;
			if (cell->state == RESULT_OK)
				shown.share = fmin(shown.share,
						   result_speed(result, cell->value) / result->verdicts[0].level);
		}
	}
	return shown;
}

static void cell_print(const struct result *result, const struct shown *shown, bool colours, FILE *out)
{
	const char *colour = "";
	char text[16] = "-";

	if (shown->is_own) {
		snprintf(text, sizeof(text), ".");
	} else if (shown->has_failed) {
		snprintf(text, sizeof(text), "x");
		colour = RED;
	} else if (!isnan(shown->share)) {
		snprintf(text, sizeof(text), "%.0f", 100 * fmin(shown->share, 10));
		if (strlen(text) > 3)
			snprintf(text, sizeof(text), "1k+");
		colour = colour_of(result, shown->share);
	}
	fprintf(out, " %s%3s%s", colours ? colour : "", text, colours && colour[0] ? PLAIN : "");
}

/* As much as there is room for. The end says more: "node-0017", "/0:mlx5_1". */
static const char *short_name(const struct result *result, unsigned adapter)
{
	const char *name = result_name(result, adapter);
	const size_t length = strlen(name);

	return length > NAME ? name + length - NAME : name;
}

/* scale: the rows and the columns that one stands for. */
static void block_print(const struct result *result, unsigned first, unsigned scale, bool colours, FILE *out)
{
	const unsigned num = result->num_adapters, end = first + BLOCK * scale < num ? first + BLOCK * scale : num;

	fprintf(out, "\n %4s %-*s", "", NAME, "server");
	for (unsigned server = first; server < end; server += scale)
		fprintf(out, " %3u", server);
	fprintf(out, "\n");
	for (unsigned client = 0; client < num; client += scale) {
		fprintf(out, " %4u %-*s", client, NAME, short_name(result, client));
		for (unsigned server = first; server < end; server += scale) {
			const struct shown shown = shown_of(result, client, server, scale);

			cell_print(result, &shown, colours, out);
		}
		fprintf(out, "\n");
	}
}

/* Of rows that look alike. */
static void names_print(const struct result *result, unsigned scale, FILE *out)
{
	for (unsigned row = 0; row < result->num_adapters; row += scale) {
		bool is_alone = true;

		for (unsigned other = 0; other < result->num_adapters; other += scale)
			is_alone &= other == row || strcmp(short_name(result, row), short_name(result, other)) != 0;
		if (!is_alone)
			command_sentence(out, "%u is %s", row, result_name(result, row));
	}
}

/* Up to MOST_ALONE rows each pair is shown, in blocks of a terminal's width. */
static void blocks_print(const struct result *result, bool colours, FILE *out)
{
	const unsigned num = result->num_adapters, scale = num > MOST_ALONE ? (num + BLOCK - 1) / BLOCK : 1;

	if (scale > 1)
		command_sentence(out, "A cell is the slowest pair of %u rows with %u columns; csv and json have each.",
				 scale, scale);
	for (unsigned first = 0; first < num; first += BLOCK * scale)
		block_print(result, first, scale, colours, out);
	fprintf(out, "\n");
	names_print(result, scale, out);
}

/* What a row is, with its article. */
static const char *a_row(const struct result *result)
{
	return result->params->adapters.names[0] ? "an adapter" : "a host";
}

static void verdict_print(const struct result *result, FILE *out)
{
	const struct verdict *verdict = &result->verdicts[0];
	const char *row = strchr(a_row(result), ' ') + 1;
	unsigned named = 0;
	char text[RESULT_TEXT_SIZE];

	for (unsigned i = 0; i < result->num_named; i++) {
		named += !result->named[i].cleared;
		command_sentence(out, "%s: %s", result_word(&result->named[i]),
				 result_describe(result, &result->named[i], text));
	}
	if (verdict->compared < VERDICT_LEAST_HOSTS)
		command_sentence(out, "%u %ss cannot be compared: none is the usual one", verdict->compared, row);
	else if (!named && !result->interrupted && verdict->link_limit < verdict->host_limit)
		command_sentence(out, "no %s is below %.0f %% of the others, and no link below %.0f %%", row,
				 100 * verdict->host_limit, 100 * verdict->link_limit);
	else if (!named && !result->interrupted)
		command_sentence(out, "no %s or link is below %.0f %% of the others", row, 100 * verdict->host_limit);
	if (verdict->compared >= VERDICT_LEAST_HOSTS && verdict->link_limit < verdict->min_share)
		command_sentence(
			out,
			"The pairs differ by %.1f %%: %s above %.0f %% or a link above %.0f %% may pass unnoticed.",
			100 * verdict->spread, a_row(result), 100 * verdict->host_limit, 100 * verdict->link_limit);
}

static void steps_print(const struct result *result, FILE *out)
{
	const struct result_together *together = &result->together;
	const double shown = result->figure->to_shown;

	if (together->steps)
		command_sentence(out, "The pairs that were measured at the same time had %.4g %s together%s.",
				 together->median * shown, result->figure->unit,
				 together->steps > 1 ? ", the median of the rounds" : "");
	if (result->spread_ns)
		command_sentence(out, "They began within %.3g ms of each other.", (double)result->spread_ns / 1e6);
}

void heatmap_print(const struct result *result, FILE *out)
{
	const struct matrix_params *params = result->params;
	/* mpirun gives a terminal of its own to rank 0, wherever its own output goes */
	char began[RESULT_BEGAN_SIZE];
	const bool colours = isatty(fileno(out)) && !params->launcher && !getenv("NO_COLOR");

	command_sentence(out, "perftest matrix %s: %u host%s, %u round%s of %s%s%s%s%s", params->program.name,
			 result->num_hosts, result->num_hosts == 1 ? "" : "s", result->rounds,
			 result->rounds == 1 ? "" : "s", params->pairing->meaning,
			 pairing_field_meanings[params->field], params->launcher ? ", ranks by " : "",
			 params->launcher ? params->launcher : "", result_began(result, ", begun ", began));
	if (result->figure) {
		command_sentence(out, "100 = %.4g %s, usual of %s; less is slower; x: failed; -: not measured",
				 result_usual(result) * result->figure->to_shown, result->figure->unit,
				 params->adapters.names[0] ? "a row" : "a host");
		blocks_print(result, colours, out);
	}
	failures_print(result, out);
	if (result->figure) {
		verdict_print(result, out);
		steps_print(result, out);
	}
	if (result->interrupted)
		command_sentence(out, "stopped by the user: this is what was measured until then");
}
