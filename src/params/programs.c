// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The programs, and how they are named in a sentence. */
#include "params/programs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/opt.h"
#include "util/terminal.h"

/* XRC and DC support what RC does; SRD has no atomics. */
#define ATOMIC	 (TRANSPORT_BIT(TRANSPORT_RC) | TRANSPORT_BIT(TRANSPORT_XRC) | TRANSPORT_BIT(TRANSPORT_DC))
#define RC	 (ATOMIC | TRANSPORT_BIT(TRANSPORT_SRD))
#define RC_UC	 (RC | TRANSPORT_BIT(TRANSPORT_UC))
#define RC_UC_UD (RC_UC | TRANSPORT_BIT(TRANSPORT_UD))
#define FRAMES	 TRANSPORT_BIT(TRANSPORT_RAW_ETHERNET)

#define PROGRAM(which, words, what, posts, figures, over)                                                              \
	.id = (which), .name = (words), .summary = (what), .verb = VERB_##posts, .metric = METRIC_##figures,           \
	.transports = (over)

/* Who posts, answers and measures what is in the descriptions of manual.c. */
const struct program programs[] = {
	{PROGRAM(IB_SEND_BW, "ib_send_bw", "bandwidth of SEND", SEND, BW, RC_UC_UD)},
	{PROGRAM(IB_SEND_LAT, "ib_send_lat", "latency of SEND", SEND, LAT, RC_UC_UD)},
	{PROGRAM(IB_WRITE_BW, "ib_write_bw", "bandwidth of RDMA WRITE", WRITE, BW, RC_UC)},
	{PROGRAM(IB_WRITE_LAT, "ib_write_lat", "latency of RDMA WRITE", WRITE, LAT, RC_UC)},
	{PROGRAM(IB_READ_BW, "ib_read_bw", "bandwidth of RDMA READ", READ, BW, RC)},
	{PROGRAM(IB_READ_LAT, "ib_read_lat", "latency of RDMA READ", READ, LAT, RC)},
	{PROGRAM(IB_ATOMIC_BW, "ib_atomic_bw", "bandwidth of 8-byte atomics", ATOMIC, BW, ATOMIC)},
	{PROGRAM(IB_ATOMIC_LAT, "ib_atomic_lat", "latency of 8-byte atomics", ATOMIC, LAT, ATOMIC)},
	{
		PROGRAM(RAW_ETHERNET_BW, "raw_ethernet_bw", "bandwidth of raw Ethernet frames", SEND, BW, FRAMES),
		.old_name = "raw_ethernet_send_bw",
		.silent = true,
	},
	{
		PROGRAM(RAW_ETHERNET_LAT, "raw_ethernet_lat", "latency of raw Ethernet frames", SEND, LAT, FRAMES),
		.old_name = "raw_ethernet_send_lat",
		.silent = true,
	},
	{
		PROGRAM(RAW_ETHERNET_BURST_LAT, "raw_ethernet_burst_lat", "latency of bursts of raw Ethernet frames",
			SEND, LAT, FRAMES),
		.bursts = true,
		.silent = true,
	},
	{
		PROGRAM(RAW_ETHERNET_FS_RATE, "raw_ethernet_fs_rate", "rate of steering rules", SEND, STEERING, FRAMES),
		.silent = true,
	},
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
		if (strcmp(programs[i].name, name) == 0 ||
		    (programs[i].old_name && strcmp(programs[i].old_name, name) == 0))
			return &programs[i];
	return NULL;
}

const struct program *program_greeting(unsigned number)
{
	for (size_t i = 0; i < num_programs; i++)
		if (programs[i].id + 1 == number && !programs[i].silent)
			return &programs[i];
	return NULL;
}

const struct program *program_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	for (size_t i = 0; i < num_programs; i++)
		if (strstr(base, programs[i].name) || (programs[i].old_name && strstr(base, programs[i].old_name)))
			return &programs[i];
	return NULL;
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
static void add_verbs(char *buffer, size_t size, unsigned verbs)
{
	const char *words[NUM_VERBS];
	unsigned count = 0;

	for (unsigned verb = 0; verb < NUM_VERBS; verb++)
		if (verbs & 1U << verb)
			words[count++] = verb_names[verb];
	if (count == NUM_VERBS)
		snprintf(buffer, size, "ib_*");
	else
		opt_list(buffer, size, words, count, " and ");
	text_add(buffer, size, " ");
}

static const char *names_text(unsigned mask, char *buffer, size_t size)
{
	const char *words[NUM_PROGRAM_IDS];
	unsigned count = 0;

	for (size_t i = 0; i < num_programs; i++)
		if (mask & program_bit(&programs[i]))
			words[count++] = programs[i].name;
	opt_list(buffer, size, words, count, " and ");
	return buffer;
}

/* False: their names are needed. */
static bool kinds_text(unsigned mask, char *buffer, size_t size)
{
	const struct kinds ib = kinds_of(mask, false /* silent */), raw = kinds_of(mask, true /* silent */);
	const unsigned all_verbs = (1U << NUM_VERBS) - 1;

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
		add_verbs(buffer, size, ib.verbs);
		text_add(buffer, size, "%stests", metrics_text(ib.metrics, false));
	}
	if (raw.verbs)
		text_add(buffer, size, "%sraw Ethernet %stests", ib.verbs ? " and " : "",
			 metrics_text(raw.metrics, true));
	return true;
}

const char *programs_text(unsigned mask, char *buffer, size_t size)
{
	if (kinds_text(mask, buffer, size))
		return buffer;
	/* One program more, or one less: that of bursts, which differs from the others. */
	for (size_t i = 0; i < num_programs; i++) {
		if (!programs[i].bursts || !kinds_text(mask ^ program_bit(&programs[i]), buffer, size))
			continue;
		text_add(buffer, size, "%s %s", mask & program_bit(&programs[i]) ? ", and" : " except",
			 programs[i].name);
		return buffer;
	}
	return names_text(mask, buffer, size);
}
