/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of rows of struct opt_row, for the files that define a table:
 *
 * #define OPTIONS_OF struct cxi_params
 *
 * {INTEGER('n', "iters", "ITERS", iters, 1, MAX_ITERS), .default_text = "1000", .help = "Iterations for each size"},
 *
 * Included only there: the names are short.
 */
#pragma once

#include <stddef.h>

#include "params/engine/opt.h"

#define NO_LETTER '\0'

#define SIZE_OF(member)	      sizeof(((OPTIONS_OF *)NULL)->member)
#define STORED_IN(member)     .offset = offsetof(OPTIONS_OF, member), .width = SIZE_OF(member)
#define RANGE(from, to)	      .min = (from), .max = (to)
#define OR_WORD(word, stored) .special = (word), .special_value = (stored)
/* ... which is the default, too */
#define DEFAULT_WORD(word, stored) OR_WORD(word, stored), .default_text = (word)
/* clang-format off */
#define CHOICES(...)	      .choices = (const struct opt_choice[OPT_MAX_CHOICES]){__VA_ARGS__}
#define SPECIAL_DEFAULTS(...) .special_defaults = (const struct opt_special_default[OPT_MAX_SPECIAL]){__VA_ARGS__}
/* clang-format on */

/* What every row begins with: its names, its kind, and the member of OPTIONS_OF. word: the argument's name in help. */
#define FLAG(letter, name, member) .short_name = (letter), .long_name = (name), .kind = OPT_FLAG, STORED_IN(member)
#define VALUE(type, letter, name, word, member)                                                                        \
	.short_name = (letter), .long_name = (name), .argument = (word), .kind = (type), STORED_IN(member)
#define STRING(letter, name, word, member)	      VALUE(OPT_STRING, letter, name, word, member)
#define CHOICE(letter, name, word, member)	      VALUE(OPT_CHOICE, letter, name, word, member)
#define INTEGER(letter, name, word, member, from, to) VALUE(OPT_INTEGER, letter, name, word, member), RANGE(from, to)
#define SIZE(letter, name, word, member, from, to)    VALUE(OPT_SIZE, letter, name, word, member), RANGE(from, to)
#define DOUBLE(letter, name, word, member, from, to)  VALUE(OPT_DOUBLE, letter, name, word, member), RANGE(from, to)
