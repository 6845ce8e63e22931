/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON documents of the suite, from a file. Called by kept.c, metrics.c and report.c. */
#pragma once

#include <jansson.h>

/*
 * For each document of these files, with the others of its file: one, or several in a row, each also as JSON Lines; of
 * a run that was killed without its end. path: "-" is standard input. purpose: "compare", for the message. add: 0 or
 * -ENOMEM. 0, or -errno, reported.
 */
typedef int (*document_add_fn)(void *context, const char *path, const json_t *documents, size_t i);
int document_files_each(char **paths, int count, const char *purpose, document_add_fn add, void *context);
/* The only one. find_fault: why this one is of no use, NULL: it is; may be NULL. NULL: reported. */
json_t *document_file_load(const char *path, const char *purpose, const char *(*find_fault)(const json_t *document));
/* A text of the document, or of an object in it; "": there is none. outer: NULL the document itself. */
const char *document_file_text(const json_t *document, const char *outer, const char *inner);
