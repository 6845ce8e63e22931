// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The programs, and how they are named in a sentence. */
#include "params/programs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const struct program programs[] = {
	PROGRAM_IB_SEND_BW,
	PROGRAM_IB_SEND_LAT,
	PROGRAM_IB_WRITE_BW,
	PROGRAM_IB_WRITE_LAT,
	PROGRAM_IB_READ_BW,
	PROGRAM_IB_READ_LAT,
	PROGRAM_IB_ATOMIC_BW,
	PROGRAM_IB_ATOMIC_LAT,
	PROGRAM_RAW_ETHERNET_BW,
	PROGRAM_RAW_ETHERNET_LAT,
	PROGRAM_RAW_ETHERNET_BURST_LAT,
	PROGRAM_RAW_ETHERNET_FS_RATE,
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

/* Appends "A, B and C" and returns the new length. */
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

/* All programs of these verbs and metrics with a side channel, or without. */
static unsigned program_mask(unsigned verbs, unsigned metrics, bool silent)
{
	unsigned mask = 0;

	for (size_t i = 0; i < num_programs; i++)
		if (verbs & 1U << programs[i].verb && metrics & 1U << programs[i].metric &&
		    programs[i].silent == silent)
			mask |= program_bit(&programs[i]);
	return mask;
}

struct kinds {
	unsigned verbs, metrics; /* bits */
};

static struct kinds kinds_of(unsigned mask, bool silent)
{
	struct kinds kinds = {0};

	for (size_t i = 0; i < num_programs; i++) {
		if (!(mask & program_bit(&programs[i])) || programs[i].silent != silent)
			continue;
		kinds.verbs |= 1U << programs[i].verb;
		kinds.metrics |= 1U << programs[i].metric;
	}
	return kinds;
}

#define MOVING (1U << METRIC_BW | 1U << METRIC_LAT)

/* "" for all metrics of that family. */
static const char *metrics_text(unsigned metrics, bool silent)
{
	static const char *const words[] = {
		[1U << METRIC_BW] = "bandwidth ",
		[1U << METRIC_LAT] = "latency ",
		[MOVING] = "bandwidth and latency ",
		[1U << METRIC_STEERING] = "steering ",
		[1U << METRIC_STEERING | 1U << METRIC_BW] = "bandwidth and steering ",
		[1U << METRIC_STEERING | 1U << METRIC_LAT] = "latency and steering ",
	};

	return metrics == (silent ? MOVING | 1U << METRIC_STEERING : MOVING) ? "" : words[metrics];
}

/* "send and write " for programs with a side channel; "ib_* " for all verbs, as raw Ethernet has such tests, too. */
static size_t add_verbs(char *buffer, size_t size, unsigned verbs)
{
	const char *words[NUM_VERBS];
	unsigned count = 0;
	size_t used;

	for (unsigned verb = 0; verb < NUM_VERBS; verb++)
		if (verbs & 1U << verb)
			words[count++] = verb_names[verb];
	if (count == NUM_VERBS)
		return (size_t)snprintf(buffer, size, "ib_* ");
	used = add_list(buffer, size, words, count);
	return used + (size_t)snprintf(buffer + used, size - used, " ");
}

static const char *names_text(unsigned mask, char *buffer, size_t size)
{
	const char *words[NUM_PROGRAM_IDS];
	unsigned count = 0;

	for (size_t i = 0; i < num_programs; i++)
		if (mask & program_bit(&programs[i]))
			words[count++] = programs[i].name;
	add_list(buffer, size, words, count);
	return buffer;
}

/* False: their names are needed. */
static bool kinds_text(unsigned mask, char *buffer, size_t size)
{
	const struct kinds ib = kinds_of(mask, false /* silent */), raw = kinds_of(mask, true /* silent */);
	const unsigned all_verbs = (1U << NUM_VERBS) - 1;
	size_t used = 0;

	buffer[0] = '\0';
	if (!mask || (program_mask(ib.verbs, ib.metrics, false) | program_mask(raw.verbs, raw.metrics, true)) != mask)
		return false;
	if (mask == program_mask(all_verbs, ~0U, false) + program_mask(all_verbs, ~0U, true)) {
		snprintf(buffer, size, "tests");
		return true;
	}
	/* Both families have them: what applies to one applies to the other. */
	if (ib.verbs == all_verbs && ib.metrics == (raw.metrics & MOVING)) {
		snprintf(buffer, size, "%stests", metrics_text(raw.metrics, true));
		return true;
	}
	if (ib.verbs) {
		used = add_verbs(buffer, size, ib.verbs);
		used += (size_t)snprintf(buffer + used, size - used, "%stests", metrics_text(ib.metrics, false));
	}
	if (raw.verbs)
		snprintf(buffer + used, size - used, "%sraw Ethernet %stests", used ? " and " : "",
			 metrics_text(raw.metrics, true));
	return true;
}

const char *programs_text(unsigned mask, char *buffer, size_t size)
{
	size_t used;

	if (kinds_text(mask, buffer, size))
		return buffer;
	/* One program more, or one less: that of bursts, which differs from the others. */
	for (size_t i = 0; i < num_programs; i++) {
		if (!programs[i].bursts || !kinds_text(mask ^ program_bit(&programs[i]), buffer, size))
			continue;
		used = strlen(buffer);
		snprintf(buffer + used, size - used, "%s %s", mask & program_bit(&programs[i]) ? ", and" : " except",
			 programs[i].name);
		return buffer;
	}
	return names_text(mask, buffer, size);
}
