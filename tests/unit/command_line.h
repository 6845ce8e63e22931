/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A command line written as one text, for the tests of params: "ib_write_bw -s 4K -b". */
#pragma once

#include "cmocka_all.h"
#include "params/perftest_parameters.h"
#include "params/programs.h"

#define COMMAND_LINE_WORDS 64

struct command_line {
	char text[1024];
	int argc;
	char *argv[COMMAND_LINE_WORDS + 1];
	char reason[512]; /* why the last step failed; "" if it succeeded */
};

static inline const struct program *program_named(const char *name)
{
	for (size_t i = 0; i < num_programs; i++)
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	fail_msg("no program %s", name);
	return NULL;
}

/* Splits at blanks; '' is an empty word. */
static inline void command_line_split(struct command_line *line, const char *text)
{
	char *rest, *word;

	memset(line, 0, sizeof(*line));
	snprintf(line->text, sizeof(line->text), "%s", text);
	for (word = strtok_r(line->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		assert_true(line->argc < COMMAND_LINE_WORDS);
		if (strcmp(word, "''") == 0)
			*word = '\0';
		line->argv[line->argc++] = word;
	}
}

/* The result of params_parse(); the message is in line->reason. */
static inline int command_line_parse(struct command_line *line, const char *text, struct params *params)
{
	command_line_split(line, text);
	params_init(params, program_named(line->argv[0]));
	return params_parse_text(params, line->argc, line->argv, line->reason, sizeof(line->reason));
}

/* The same, and checks the rules. */
static inline int command_line_resolve(struct command_line *line, const char *text, struct params *params)
{
	int ret = command_line_parse(line, text, params);

	return ret ? ret : params_resolve(params, line->reason, sizeof(line->reason));
}

static inline void command_line_is_accepted(const char *text, struct params *params)
{
	static struct command_line line;

	if (command_line_resolve(&line, text, params))
		fail_msg("%s: %s", text, line.reason);
}
