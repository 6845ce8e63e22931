/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of options: which are the same, and how alike are two of them? A text is compared as far as its length. Called
 * by the parsers of command lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Scripts mix --post_list and --post-list; the two characters are equivalent here. */
static inline char opt_fold_char(char c)
{
	return c == '_' ? '-' : c;
}

/* Are the first length characters the same? */
bool opt_name_begins(const char *name, const char *text, size_t length);
bool opt_name_equals(const char *name, const char *text, size_t length);
/*
 * Is the text the end with other words before it, as --use_rdma_cm and --use_rdmacm are of --rdma_cm? Dashes do not
 * count.
 */
bool opt_name_ends(const char *text, size_t length, const char *end, size_t end_length);
/* Are these words, "json" or "json_file", among those of the text? */
bool opt_name_has_words(const char *text, size_t length, const char *words);
/* The edits that turn one name into the other: inserting, removing or replacing a character, or swapping two. */
unsigned opt_name_distance(const char *name, const char *text, size_t length);

/* Which of several names was probably meant by a text? At most a third of its characters differ. */
struct opt_nearest {
	const char *text;
	size_t length;
	unsigned distance;
	const char *name; /* NULL: none of them */
};

struct opt_nearest opt_nearest_to(const char *text, size_t length);
/* True: it is the nearest so far. */
bool opt_nearest_try(struct opt_nearest *nearest, const char *name);
