// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the option for a word on the command line: one of the names in its row, or an obsolete spelling. */
#include <stdio.h>
#include <string.h>

#include "params/engine/opt_name.h"
#include "qperf/options/options.h"

/* Obsolete spellings, which scripts still use, and their replacements. */
static const struct {
	const char *old;
	const char *now;
} obsolete[] = {
	{"--affinity", "--cpu_affinity"},
	{"--loc_affinity", "--loc_cpu_affinity"},
	{"--rem_affinity", "--rem_cpu_affinity"},
	{"-a", "-ca"},
	{"-la", "-lca"},
	{"-ra", "-rca"},
	{"--rate", "--static_rate"},
	{"--loc_rate", "--loc_static_rate"},
	{"--rem_rate", "--rem_static_rate"},
	{"-r", "-sr"},
	{"-lr", "-lsr"},
	{"-rr", "-rsr"},
	{"--port", "--ip_port"},
	{"-p", "-ip"},
	{"--poll", "--cq_poll"},
	{"--loc_poll", "--loc_cq_poll"},
	{"--rem_poll", "--rem_cq_poll"},
	{"-P", "-cp"},
	{"-lP", "-lcp"},
	{"-rP", "-rcp"},
	{"-R", "-nr"},
	{"-lR", "-lnr"},
	{"-rR", "-rnr"},
	{"-T", "-to"},
	{"-lT", "-lto"},
	{"-rT", "-rto"},
	{"-S", "-sb"},
	{"-lS", "-lsb"},
	{"-rS", "-rsb"},
	{"--wait", "--wait_server"},
	{"-W", "-ws"},
	{"-vC", "-vvc"},
	{"-vS", "-vvs"},
	{"-vT", "-vvt"},
	{"-vU", "-vvu"},
	{"-aro", "-ar1"},
	{"-cmo", "-cm1"},
	{"-fo", "-f1"},
	{"-cpo", "-cp1"},
	{"-lcpo", "-lcp1"},
	{"-rcpo", "-rcp1"},
	{"-Ar", "-ar"},
	{"-M", "-mt"},
	{"-u", "-uu"},
};

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

static bool is_spelling(const char *word, const struct opt_row *row, struct spelling *spelling)
{
	static const struct {
		const char *before_name;
		const char *before_letters;
		enum option_side side;
	} forms[] = {{"--", "-", SIDE_BOTH}, {"--loc_", "-l", SIDE_LOCAL}, {"--rem_", "-r", SIDE_REMOTE}};
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

struct spelling option_find(const char *word)
{
	struct spelling spelling = {.row = NULL};
	const char *now = NULL;

	for (size_t i = 0; i < sizeof(obsolete) / sizeof(obsolete[0]); i++)
		if (strcmp(word, obsolete[i].old) == 0)
			now = obsolete[i].now;
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

bool option_takes_value(const struct spelling *spelling)
{
	return spelling->row->argument && !spelling->on;
}
