// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Options that cannot be combined: each rule is a condition and its sentence. A rule about one option alone (its range,
 * its form, which programs have it) belongs to its row in options.c.
 *
 * Not rules here, unlike in the classic suite: --cpu_util works without -D, and -f without -D has nothing to check.
 */
#include "params/rules/rules.h"

#include <stdio.h>
#include <string.h>

#include "params/options.h"
#include "params/programs.h"
#include "util/terminal.h"

void rules_list(struct rules *rules, const struct params *params)
{
	/* A side's role comes before what it does. */
	static void (*const subjects[])(struct rules * rules, const struct params *params) = {
		rules_ethernet, rules_time,	 rules_memory, rules_crypto, rules_queues,  rules_threads,
		rules_rate,	rules_multicast, rules_ports,  rules_host,   rules_clients,
	};

	rules->count = 0;
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		subjects[i](rules, params);
}

/* The next one from *n on, which is advanced past it, that applies; NULL: none does. */
static const struct rule *next_broken(const struct rules *rules, const struct params *params, size_t *n)
{
	while (*n < rules->count) {
		const struct rule *rule = &rules->rows[(*n)++];

		if (rule->is_broken && rule->programs & program_bit(params->program))
			return rule;
	}
	return NULL;
}

bool rules_refuse(const struct params *params, char *text, size_t size)
{
	struct rules rules;
	const struct rule *rule;
	size_t n = 0, length;

	rules_list(&rules, params);
	rule = next_broken(&rules, params, &n);
	if (!rule)
		return false;
	snprintf(text, size, "%s", rule->sentence);
	for (const char *at = rule->options; *at; at += length + (at[length] != '\0')) {
		char name[64], value[OPT_TEXT_SIZE], shown[OPT_TEXT_SIZE];

		length = strcspn(at, " ");
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		opt_value_write(opt_find(&params_options, name), params, false /* as used */, value, sizeof(value));
		text_add(text, size, "%s--%s %s%s", at == rule->options ? " (" : ", ", name,
			 printable(value, strlen(value), shown, sizeof(shown)), at[length] ? "" : ")");
	}
	return true;
}

const char *rules_idle_sentence(const struct params *params, const char *option, size_t n)
{
	struct rules rules = {.count = 0};
	const struct rule *rule;
	size_t next = 0;

	rules_idle(&rules, params);
	do
		rule = next_broken(&rules, params, &next);
	while (rule && ((option && strcmp(rule->options, option) != 0) || n--));
	return rule ? rule->sentence : NULL;
}
