// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Options that cannot be combined. One row per rule: the test and its sentence. A rule about one option alone (its
 * range, its form, which programs have it) belongs to its row in options.c.
 *
 * Not rules here, unlike in the classic suite: --cpu_util works without -D, and -f without -D has nothing to check.
 */
#include "params/rules/rules.h"

#include <stdio.h>
#include <string.h>

#include "params/options.h"
#include "params/programs.h"
#include "util/printable.h"

/* In the order in which they are checked: a side's role comes before what it does. */
static const struct rule_set *const sets[] = {
	&rules_ethernet, &rules_time,	   &rules_memory, &rules_crypto, &rules_queues,	 &rules_threads,
	&rules_rate,	 &rules_multicast, &rules_ports,  &rules_host,	 &rules_clients,
};

const struct rule *rules_at(size_t n)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); n -= sets[i++]->count)
		if (n < sets[i]->count)
			return &sets[i]->rows[n];
	return NULL;
}

const struct rule *rules_check(const struct params *params)
{
	const struct rule *rule;

	for (size_t n = 0; (rule = rules_at(n)); n++)
		if (rule->programs & program_bit(params->program) && rule->broken(params))
			return rule;
	return NULL;
}

const char *rule_text(const struct rule *rule, const struct params *params, char *buffer, size_t size)
{
	size_t used = (size_t)snprintf(buffer, size, "%s", rule->sentence);

	for (unsigned i = 0; i < RULE_MAX_OPTIONS && rule->options[i] && used < size; i++) {
		const struct opt_row *row = opt_find(&params_options, rule->options[i]);
		char value[OPT_TEXT_SIZE], shown[OPT_TEXT_SIZE];

		opt_value_write(row, params, false /* as used */, value, sizeof(value));
		used += (size_t)snprintf(buffer + used, size - used, "%s--%s %s", i ? ", " : " (", row->long_name,
					 printable(value, strlen(value), shown, sizeof(shown)));
	}
	if (rule->options[0] && used < size)
		snprintf(buffer + used, size - used, ")");
	return buffer;
}
