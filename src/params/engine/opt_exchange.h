/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options as text between programs: one line per row that is sent, "NAME=VALUE\n", with values as on the command line.
 * A '?' before the name marks a value that is the sender's default, which a receiver of an earlier version may ignore.
 * exchange.c has its use by a client and a server, cmtime/members.c by many instances.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "params/engine/opt.h"

/*
 * The lines of all rows that are sent; given (by row): only of those that were given. defaults: values of the same
 * type, to mark those that are equal; NULL: none is marked. Returns the length of the text, which is truncated to size;
 * like snprintf().
 */
size_t opt_export(const struct opt_table *table, unsigned program, const void *values, const void *defaults,
		  const bool *given, char *text, size_t size);
/*
 * Takes the lines of another side's text into values; seen (by row) says which came. An unknown option at its default
 * is ignored. who: "the client". 0, or -EINVAL and a reason for both sides: then some of it has been taken.
 */
int opt_import(const struct opt_table *table, unsigned program, const char *who, const char *text, void *values,
	       bool *seen, char *reason, size_t reason_size);
