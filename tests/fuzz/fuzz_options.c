// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Can any command line, or any text from a client, make the option table's readers misbehave?
 * The first byte chooses the program and, by its top bit, which of the two the rest is: words that end
 * in NUL, or a text of params_export(). `make fuzz_options` builds it with libFuzzer; the unit test
 * runs it with fixed inputs.
 */
#include "fuzz/fuzz.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "params/options.h"
#include "params/perftest_parameters.h"
#include "params/programs.h"

#define MAX_WORDS 64
#define MAX_INPUT 8192

/* A message is one line that can be shown on a terminal. */
static void check_reason(const char *reason)
{
	if (!*reason)
		abort();
	for (; *reason; reason++)
		if (!isprint((unsigned char)*reason))
			abort();
}

/* What was accepted can be told to a server, which then wants the same. */
static void check_accepted(const struct params *params)
{
	char left[OPT_TEXT_SIZE], right[OPT_TEXT_SIZE], reason[512];
	struct params server;
	char *text;

	if (params_export(params, &text))
		abort();
	params_init(&server, params->program);
	if (params_adopt(&server, text, reason, sizeof(reason)))
		abort();
	free(text);
	for (unsigned i = 0; i < params_options.num_rows; i++) {
		const struct opt_row *row = &params_options.rows[i];

		if (row->reach == OPT_LOCAL || !(row->programs & program_bit(params->program)))
			continue;
		opt_value_write(row, params, true /* as requested */, left, sizeof(left));
		opt_value_write(row, &server, true /* as requested */, right, sizeof(right));
		if (strcmp(left, right) != 0)
			abort();
	}
}

static void check_resolving(const struct params *params)
{
	struct params resolved = *params;
	char reason[512];

	if (params_resolve(&resolved, reason, sizeof(reason)))
		check_reason(reason);
	else if (resolved.verbs.tx_depth < 1 || resolved.verbs.rx_depth < 1 || resolved.verbs.cq_mod < 1 ||
		 resolved.verbs.cq_mod > resolved.verbs.tx_depth || resolved.verbs.post_list > resolved.verbs.tx_depth)
		abort();
}

static void check_words(const struct program *program, char *text, size_t length)
{
	char name[] = "program";
	char *argv[MAX_WORDS + 2] = {name};
	struct params params, before;
	char reason[512] = "";
	int argc = 1;

	for (size_t at = 0; at < length && argc <= MAX_WORDS; at += strlen(text + at) + 1)
		argv[argc++] = text + at;
	params_init(&params, program);
	before = params;
	if (!params_parse_text(&params, argc, argv, reason, sizeof(reason))) {
		check_accepted(&params);
		check_resolving(&params);
		return;
	}
	check_reason(reason);
	if (memcmp(&params, &before, sizeof(params)) != 0)
		abort();
}

static void check_text(const struct program *program, const char *text)
{
	struct params params, before;
	char reason[512] = "";

	params_init(&params, program);
	before = params;
	if (!params_adopt(&params, text, reason, sizeof(reason))) {
		check_accepted(&params);
		check_resolving(&params);
		return;
	}
	check_reason(reason);
	if (memcmp(&params, &before, sizeof(params)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	const struct program *program;
	char *text;

	if (length < 1 || length > MAX_INPUT)
		return 0;
	program = &programs[bytes[0] % num_programs];
	text = malloc(length);
	if (!text)
		abort();
	memcpy(text, bytes + 1, length - 1);
	text[length - 1] = '\0';
	if (bytes[0] & 0x80)
		check_text(program, text);
	else
		check_words(program, text, length - 1);
	free(text);
	return 0;
}
