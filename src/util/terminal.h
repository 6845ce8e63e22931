/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The width of a terminal, folding text to it, and text from outside that it must not obey. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TERMINAL_USUAL_COLUMNS 80

/* 0: stream is no terminal. TERMINAL_USUAL_COLUMNS if the width is unknown, or less than 40. */
int terminal_columns(FILE *stream);
/* The same, but 0 if the width is unknown: a program may read the lines. */
int terminal_set_columns(FILE *stream);

/* A user who watches has a keyboard, too: a program that reads what it gets at a terminal has none. */
bool terminal_is_watched(FILE *stream);

/* Appends to a text of this size what fits. */
void text_add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same, of a list: with ", " in front of all words but the first. */
void text_list_add(char *text, size_t size, const char *word);

/*
 * Folds text at its blanks into lines of at most `columns` bytes (0: no limit), the first of which begins at column
 * `first`, the others after `indent` blanks. Words are not split; runs of blanks between words become one. Text that
 * does not fit into buffer is omitted. Returns buffer.
 */
const char *text_fold(const char *text, int columns, int first, int indent, char *buffer, size_t size);

/*
 * Bytes of a peer or a file in a message, so that they cannot move the cursor or clear the screen: at most size - 1 of
 * them, printable ASCII, others as '.'. Returns text.
 */
const char *printable(const void *bytes, size_t length, char *text, size_t size);

/*
 * The bytes of the UTF-8 character at the start; 0: it is none (RFC 3629), was cut, is a control character (C0, DEL,
 * C1), or U+FFFE or U+FFFF, which XML has not.
 */
unsigned character_length(const char *text);
/*
 * The same in place, for a text that may have letters of any language, as names of files: such bytes as '.', but a tab
 * stays, as in the tables of a program on another host.
 */
char *without_controls(char *text);
/* The same of bytes of others, of which as many are taken as fit. Returns text, which is UTF-8. */
const char *readable(const char *bytes, size_t length, char *text, size_t size);
