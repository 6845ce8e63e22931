// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which programs are there, and what are they called in a sentence? */
#include "params/programs.h"

#include <stdio.h>
#include <string.h>

const struct program programs[] = {
	PROGRAM_IB_SEND_BW, PROGRAM_IB_SEND_LAT, PROGRAM_IB_WRITE_BW,  PROGRAM_IB_WRITE_LAT,
	PROGRAM_IB_READ_BW, PROGRAM_IB_READ_LAT, PROGRAM_IB_ATOMIC_BW, PROGRAM_IB_ATOMIC_LAT,
};

const size_t num_programs = sizeof(programs) / sizeof(programs[0]);

static const char *const verb_names[] = {
	[VERB_SEND] = "send",
	[VERB_WRITE] = "write",
	[VERB_READ] = "read",
	[VERB_ATOMIC] = "atomic",
};

#define NUM_VERBS (sizeof(verb_names) / sizeof(verb_names[0]))

const struct program *program_find(const char *name)
{
	for (size_t i = 0; i < num_programs; i++)
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	return NULL;
}

/* Appends "A, B and C" and returns what is used now. */
static size_t add_list(char *buffer, size_t size, const char *const *words, unsigned count)
{
	size_t used = 0;

	for (unsigned i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s",
					 i == 0		  ? ""
					 : i + 1 == count ? " and "
							  : ", ",
					 words[i]);
	return used;
}

/* All programs of these verbs and metrics. */
static unsigned mask_of(unsigned verbs, unsigned metrics)
{
	unsigned mask = 0;

	for (size_t i = 0; i < num_programs; i++)
		if (verbs & 1U << programs[i].verb && metrics & 1U << programs[i].metric)
			mask |= program_bit(&programs[i]);
	return mask;
}

const char *programs_text(unsigned mask, char *buffer, size_t size)
{
	const char *words[NUM_PROGRAM_IDS];
	unsigned verbs = 0, metrics = 0, count = 0;
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < num_programs; i++) {
		if (!(mask & program_bit(&programs[i])))
			continue;
		words[count++] = programs[i].name;
		verbs |= 1U << programs[i].verb;
		metrics |= 1U << programs[i].metric;
	}
	if (mask_of(verbs, metrics) != mask) {
		add_list(buffer, size, words, count);
		return buffer;
	}
	count = 0;
	for (unsigned verb = 0; verb < NUM_VERBS; verb++)
		if (verbs & 1U << verb)
			words[count++] = verb_names[verb];
	if (count < NUM_VERBS)
		used = add_list(buffer, size, words, count);
	if (metrics == 1U << METRIC_BW)
		used += (size_t)snprintf(buffer + used, size - used, "%sbandwidth", used ? " " : "");
	else if (metrics == 1U << METRIC_LAT)
		used += (size_t)snprintf(buffer + used, size - used, "%slatency", used ? " " : "");
	snprintf(buffer + used, size - used, "%stests", used ? " " : "");
	return buffer;
}
