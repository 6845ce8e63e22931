// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the option for a word on the command line: one of the names in its row, or an obsolete spelling. */
#include <stdio.h>
#include <string.h>

#include "params/engine/opt_name.h"
#include "qperf/options/options.h"

/* Obsolete spellings, which scripts still use, and their replacements; of the first ones, for each side, too. */
static const struct {
	const char *old_name, *old_letters; /* without dashes; NULL: it is not obsolete */
	const char *name, *letters;
} obsolete_rows[] = {
	{"affinity", "a", "cpu_affinity", "ca"},
	{"rate", "r", "static_rate", "sr"},
	{"poll", "P", "cq_poll", "cp"},
	{NULL, "R", NULL, "nr"},
	{NULL, "T", NULL, "to"},
	{NULL, "S", NULL, "sb"},
	{NULL, "cpo", NULL, "cp1"},
	{"port", "p", "ip_port", "ip"},
	{"wait", "W", "wait_server", "ws"},
	{NULL, "vC", NULL, "vvc"},
	{NULL, "vS", NULL, "vvs"},
	{NULL, "vT", NULL, "vvt"},
	{NULL, "vU", NULL, "vvu"},
	{NULL, "aro", NULL, "ar1"},
	{NULL, "cmo", NULL, "cm1"},
	{NULL, "fo", NULL, "f1"},
	{NULL, "Ar", NULL, "ar"},
	{NULL, "M", NULL, "mt"},
	{NULL, "u", NULL, "uu"},
};
#define ONE_SIDED 7 /* of these */

/* Words of the ib_* programs and of iperf3, and what they are here. */
static const struct {
	const char *theirs;
	const char *ours;
} others[] = {
	{"--json", "--output_format json"},
	{"-J", "--output_format json"},
	{"--csv", "--output_format csv"},
	{"--size", "--msg_size (-m)"},
	{"-s", "--msg_size (-m)"},
	{"--duration", "--time (-t)"},
	{"-D", "--time (-t)"},
	{"--iters", "--no_msgs (-n)"},
	{"--ib-dev", "--id (-i)"},
	{"-d", "--id (-i)"},
};

static bool matches(const char *word, const char *prefix, const char *name, const char *end)
{
	const size_t ahead = strlen(prefix);
	const char *rest = word + ahead;

	return strncmp(word, prefix, ahead) == 0 && strncmp(rest, name, strlen(name)) == 0 &&
	       strcmp(rest + strlen(name), end) == 0;
}

static const struct {
	const char *before_name;
	const char *before_letters;
	enum option_side side;
} forms[] = {{"--", "-", SIDE_BOTH}, {"--loc_", "-l", SIDE_LOCAL}, {"--rem_", "-r", SIDE_REMOTE}};

static bool is_spelling(const char *word, const struct opt_row *row, struct spelling *spelling)
{
	const struct option_own *own = option_own(row);

	for (unsigned i = 0; i < (own->one_sided ? 3 : 1); i++) {
		const bool on =
			own->is_switch && row->letters && matches(word, forms[i].before_letters, row->letters, "1");

		if (!on && !matches(word, forms[i].before_name, row->long_name, "") &&
		    !(row->letters && matches(word, forms[i].before_letters, row->letters, "")))
			continue;
		*spelling = (struct spelling){.row = row, .side = forms[i].side, .on = on};
		return true;
	}
	return false;
}

/* What replaces an obsolete word; NULL: it is not one. */
static const char *find_replacement(const char *word)
{
	static char now[32];

	for (unsigned n = 0; n < sizeof(obsolete_rows) / sizeof(obsolete_rows[0]); n++) {
		const char *old_name = obsolete_rows[n].old_name;

		for (unsigned i = 0; i < (n < ONE_SIDED ? 3 : 1); i++) {
			const bool is_name = old_name && matches(word, forms[i].before_name, old_name, "");

			if (!is_name && !matches(word, forms[i].before_letters, obsolete_rows[n].old_letters, ""))
				continue;
			snprintf(now, sizeof(now), "%s%s", is_name ? forms[i].before_name : forms[i].before_letters,
				 is_name ? obsolete_rows[n].name : obsolete_rows[n].letters);
			return now;
		}
	}
	return NULL;
}

struct spelling option_find(const char *word)
{
	const char *now = find_replacement(word);
	struct spelling spelling = {.row = NULL};

	for (size_t i = 0; i < qperf_options.num_rows; i++)
		if (is_spelling(now ? now : word, &qperf_options.rows[i], &spelling))
			break;
	spelling.instead = now;
	return spelling;
}

const char *option_find_similar(const char *word, char *buffer, size_t size)
{
	const size_t length = strlen(word);
	struct opt_nearest nearest;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (opt_name_equals(others[i].theirs, word, length))
			return others[i].ours;
	if (strncmp(word, "--", 2) != 0)
		return NULL;
	nearest = opt_nearest_to(word + 2, length - 2);
	for (size_t i = 0; i < qperf_options.num_rows; i++)
		opt_nearest_try(&nearest, qperf_options.rows[i].long_name);
	if (!nearest.name)
		return NULL;
	snprintf(buffer, size, "--%s", nearest.name);
	return buffer;
}

struct spelling option_find_variable(const char *name)
{
	char word[64];
	struct spelling spelling;

	snprintf(word, sizeof(word), "--%s", name);
	spelling = option_find(word);
	if (spelling.row)
		return spelling;
	snprintf(word, sizeof(word), "-%s", name);
	return option_find(word);
}
