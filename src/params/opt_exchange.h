/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options as text between programs: one line for each row that travels, "NAME=VALUE\n", values as on the command line.
 * A '?' before the name marks a value that is the sender's default, which a receiver of an earlier version may go
 * without. exchange.c has what a client and a server make of it, cmtime/option_merge.c what many instances do.
 */
#ifndef PARAMS_OPT_EXCHANGE_H
#define PARAMS_OPT_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "params/opt.h"

/* One line, split. The text comes from the network: its parts are checked for their length only. */
struct opt_line {
	bool is_default;
	char name[OPT_QUOTE_SIZE];
	char value[OPT_TEXT_SIZE];
};

/* Has one of the programs the row, and does it travel? */
bool opt_travels(const struct opt_row *row, unsigned programs);
/*
 * The lines of all rows that travel; given (by row): of those that were given. defaults: values of the same kind, and
 * what is the same there is marked; NULL: nothing is. The length of the text, which is cut where it is size or more; as
 * snprintf().
 */
size_t opt_export(const struct opt_table *table, unsigned program, const void *values, const void *defaults,
		  const bool *given, char *text, size_t size);
/* One more line, behind used bytes. What used is then, as above. */
size_t opt_export_line(char *text, size_t size, size_t used, const char *name, const char *value, bool is_default);
/* Splits the line at *text and moves behind it. 0 or -EBADMSG. */
int opt_line_scan(const char **text, struct opt_line *line);
/*
 * Takes a line's value over, and has it in one form whatever the sender wrote ("0x64" and "100" are the same). 0, or
 * -EINVAL and a reason without the option's name.
 */
int opt_line_read(const struct opt_row *row, unsigned programs, const struct opt_line *line, void *values,
		  char canonical[OPT_TEXT_SIZE], char *reason, size_t reason_size);

#endif
