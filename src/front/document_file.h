/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A JSON document of the suite, from a file. Called by kept.c and metrics.c. */
#ifndef FRONT_DOCUMENT_FILE_H
#define FRONT_DOCUMENT_FILE_H

#include <jansson.h>

/*
 * path: "-" is standard input. purpose: "compare", for the message. find_fault: why this one is of no use, NULL: it is;
 * may be NULL. NULL: reported.
 */
json_t *document_file_load(const char *path, const char *purpose, const char *(*find_fault)(const json_t *document));
/* A text of the document, or of an object in it; "": there is none. outer: NULL the document itself. */
const char *document_file_text(const json_t *document, const char *outer, const char *inner);

#endif
