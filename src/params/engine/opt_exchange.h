/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options as text between programs: one line per row that is sent, "NAME=VALUE\n", with values as on the command line.
 * A '?' before the name marks a value that is the sender's default, which a receiver of an earlier version may ignore.
 * exchange.c has its use by a client and a server, cmtime/option_merge.c by many instances.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "params/engine/opt.h"

/* One line, split. The text comes from the network: only the length of its parts is checked. */
struct opt_line {
	bool is_default;
	char name[OPT_QUOTE_SIZE];
	char value[OPT_TEXT_SIZE];
};

/* Does one of the programs have the row, and is it sent? */
bool opt_travels(const struct opt_row *row, unsigned programs);
/*
 * The lines of all rows that are sent; given (by row): only of those that were given. defaults: values of the same
 * type, to mark those that are equal; NULL: none is marked. Returns the length of the text, which is truncated to size;
 * like snprintf().
 */
size_t opt_export(const struct opt_table *table, unsigned program, const void *values, const void *defaults,
		  const bool *given, char *text, size_t size);
/* One more line, after used bytes. Returns the new length, as above. */
size_t opt_export_line(char *text, size_t size, size_t used, const char *name, const char *value, bool is_default);
/*
 * A server takes the lines of its client's text into values; seen (by row) says which came. An unknown option at its
 * default is ignored. 0, or -EINVAL and a reason for both sides: then some of it has been taken.
 */
int opt_import(const struct opt_table *table, unsigned program, const char *text, void *values, bool *seen,
	       char *reason, size_t reason_size);
/* Splits the line at *text and advances past it. 0 or -EBADMSG. */
int opt_line_scan(const char **text, struct opt_line *line);
/*
 * Takes over a line's value, in one form whatever the sender wrote ("0x64" and "100" are the same). 0, or -EINVAL and a
 * reason without the option's name.
 */
int opt_line_read(const struct opt_row *row, unsigned programs, const struct opt_line *line, void *values,
		  char canonical[OPT_TEXT_SIZE], char *reason, size_t reason_size);
