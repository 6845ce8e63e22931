/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Terminals: how wide is the one behind a stream, and how does a text fit in there? */
#ifndef UTIL_TERMINAL_H
#define UTIL_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

#define TERMINAL_USUAL_COLUMNS 80

/* 0: stream is no terminal. TERMINAL_USUAL_COLUMNS where it doesn't say, or says less than 40. */
int terminal_columns(FILE *stream);

/*
 * Folds text at its blanks into lines of at most `columns` bytes (0: no limit), the first of which begins at column
 * `first`, the others after `indent` blanks. A word is never cut; runs of blanks between words become one. Whatever
 * does not fit into buffer is left out. Returns buffer.
 */
const char *text_fold(const char *text, int columns, int first, int indent, char *buffer, size_t size);

#endif
