// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which programs are there, and what are they called in a sentence? */
#include "params/programs.h"

#include <stdio.h>
#include <string.h>

#include "params/options.h"

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

/* What --help and the manual page show first. */
static void describe_examples(const struct program *program, struct cli_example examples[CLI_NUM_EXAMPLES])
{
	const bool atomic = program->verb == VERB_ATOMIC;

	examples[0] = (struct cli_example){"server$ %s", "Wait for a client, with whatever it asks for"};
	if (atomic)
		examples[1] = (struct cli_example){"client$ %s -A CMP_AND_SWAP server", "Measure compare-and-swap"};
	else
		examples[1] = (struct cli_example){"client$ %s -a server", "Measure all message sizes"};
	if (program->metric == METRIC_LAT)
		examples[2] = (struct cli_example){"client$ %s -n 1000000 --percentiles=50,90,99,99.9,99.99 server",
						   "A million samples, and where their tail lies"};
	else if (atomic)
		examples[2] = (struct cli_example){"client$ %s -q 4 -D 10 --report_interval 1 server",
						   "Four queue pairs for ten seconds, a row every second"};
	else
		examples[2] = (struct cli_example){"client$ %s -s 1M -q 4 -D 10 --report_gbits server",
						   "1 MiB messages on four queue pairs for ten seconds, in Gb/s"};
	examples[3] =
		(struct cli_example){"%s --doctor -d mlx5_0", "Look at this host: what may make a test slow, or fail"};
}

void program_describe(const struct program *program, char purpose[PROGRAM_PURPOSE_SIZE], struct cli *cli)
{
	snprintf(purpose, PROGRAM_PURPOSE_SIZE, "measure the %s", program->summary);
	*cli = (struct cli){
		.name = program->name,
		.purpose = purpose,
		.options = &params_options,
		.program = program_bit(program),
		.usages = {{"", "on the server: wait for a client"},
			   {"HOST", "on the client: connect to the server and measure"}},
		.note = "The client's options go to the server; those that it must share need to be given only there.",
	};
	describe_examples(program, cli->examples);
}
