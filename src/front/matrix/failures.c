// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which hosts of `perftest matrix` are lost, and which pairs failed or missed a limit of their program's own, in few
 * lines. */
#include <string.h>

#include "front/command.h"
#include "front/matrix/result.h"

#define MOST_SAID   20 /* lines; the JSON document has all */
#define LEAST_PAIRS 3  /* that are said together */
#define CLIENT	    1
#define SERVER	    2

static bool is_lost(const struct result *result, unsigned adapter)
{
	return result->hosts[result_rank(result, adapter)].lost[0] != '\0';
}

static unsigned client_of(const struct result *result, const struct result_cell *cell)
{
	return (unsigned)((size_t)(cell - result->cells) / result->num_adapters);
}

static unsigned server_of(const struct result *result, const struct result_cell *cell)
{
	return (unsigned)((size_t)(cell - result->cells) % result->num_adapters);
}

static bool is_tried(const struct result *result, const struct result_cell *cell)
{
	return cell->state != RESULT_NONE && !is_lost(result, client_of(result, cell)) &&
	       !is_lost(result, server_of(result, cell));
}

/* about: "", or whose pairs they are. */
static void print_line(const struct result *result, const struct result_cell *cell, unsigned count, const char *about,
		       FILE *out)
{
	char all[RESULT_NAME_SIZE + MATRIX_ADAPTER_SIZE + 64] = "";

	if (count)
		snprintf(all, sizeof(all), "all %u pairs%s; ", count, about);
	command_sentence(out, "%s: %s%s with %s as its server%s: %s", cell->state == RESULT_OK ? "missed" : "failed",
			 all, result_name(result, client_of(result, cell)),
			 result_name(result, server_of(result, cell)), count ? "" : about, cell->reason);
}

/* Adds what was tried to those that all have the same fate as the first. False: one has another, or none at all. */
static bool fate_is_same(const struct result *result, const struct result_cell *cell, const struct result_cell **first,
			 unsigned *count)
{
	if (!is_tried(result, cell))
		return true;
	*first = *first ? *first : cell;
	(*count)++;
	return cell->reason && cell->state == (*first)->state;
}

/* If whatever pair of it in these roles was tried has failed, or missed a limit. */
static bool print_of(const struct result *result, unsigned adapter, unsigned roles, FILE *out)
{
	static const char *const words[] = {
		[CLIENT] = " as a client", [SERVER] = " as a server", [CLIENT | SERVER] = ""};
	char about[RESULT_NAME_SIZE + MATRIX_ADAPTER_SIZE + 32];
	const struct result_cell *first = NULL;
	unsigned count = 0;

	for (unsigned i = 0; i < result->num_adapters; i++)
		if ((roles & CLIENT && !fate_is_same(result, result_cell(result, adapter, i), &first, &count)) ||
		    (roles & SERVER && !fate_is_same(result, result_cell(result, i, adapter), &first, &count)))
			return false;
	if (count < LEAST_PAIRS)
		return false;
	snprintf(about, sizeof(about), " of %s%s", result_name(result, adapter), words[roles]);
	print_line(result, first, count, about, out);
	return true;
}

/* If that is so of all there are. */
static bool print_all(const struct result *result, FILE *out)
{
	const struct result_cell *first = NULL;
	unsigned count = 0;

	for (size_t i = 0; i < (size_t)result->num_adapters * result->num_adapters; i++)
		if (!fate_is_same(result, &result->cells[i], &first, &count))
			return false;
	if (count >= LEAST_PAIRS)
		print_line(result, first, count, "", out);
	return count >= LEAST_PAIRS;
}

static unsigned reasons_count(const struct result *result, const char *reason)
{
	unsigned count = 0;

	for (size_t i = 0; i < (size_t)result->num_adapters * result->num_adapters; i++)
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

/* Those that are left, of which the same words are said once. said_roles: of each adapter. */
static void print_rest(const struct result *result, const uint8_t *said_roles, FILE *out)
{
	const char *said[MOST_SAID];
	unsigned num_said = 0, left = 0;

	for (size_t i = 0; i < (size_t)result->num_adapters * result->num_adapters; i++) {
		const struct result_cell *cell = &result->cells[i];

		if (!cell->reason || !is_tried(result, cell) || said_roles[client_of(result, cell)] & CLIENT ||
		    said_roles[server_of(result, cell)] & SERVER || is_said(said, num_said, cell->reason))
			continue;
		if (num_said == MOST_SAID) {
			left++;
			continue;
		}
		said[num_said++] = cell->reason;
		print_line(result, cell, 0, reasons_count(result, cell->reason) > 1 ? " and others" : "", out);
	}
	if (left)
		command_sentence(out, "failed or missed: %u more pairs", left);
}

void failures_print(const struct result *result, FILE *out)
{
	static uint8_t said_roles[MATRIX_MOST_PLAYERS];

	for (unsigned i = 0; i < result->num_hosts; i++)
		if (result->hosts[i].lost[0] && !(result->interrupted && result->hosts[i].interrupted))
			command_sentence(out, "lost: %s %s", result->hosts[i].name, result->hosts[i].lost);
	if (print_all(result, out))
		return;
	for (unsigned i = 0; i < result->num_adapters; i++) {
		said_roles[i] = 0;
		for (unsigned roles = CLIENT | SERVER; roles && !said_roles[i]; roles--)
			said_roles[i] = print_of(result, i, roles, out) ? (uint8_t)roles : 0;
	}
	print_rest(result, said_roles, out);
}
