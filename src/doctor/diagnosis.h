/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --explain: what the doctor (--doctor) has found on a side's host and device. No figure judges it, so that it is no
 * cause; it is part of the facts that both sides tell each other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct json_t;

#define DIAGNOSIS_MOST	    3 /* findings that are kept */
#define DIAGNOSIS_NAME_SIZE 32
#define DIAGNOSIS_TEXT_SIZE 256

struct diagnosis {
	bool known;	 /* that side was examined */
	unsigned count;	 /* what was found, */
	unsigned listed; /* ... of which the list has the first ones */
	struct diagnosed {
		char check[DIAGNOSIS_NAME_SIZE];  /* "governor" */
		char text[DIAGNOSIS_TEXT_SIZE];	  /* what was seen; */
		char advice[DIAGNOSIS_TEXT_SIZE]; /* ... what to do, or "" */
	} list[DIAGNOSIS_MOST];
};

/* What does not fit is cut, or only counted. */
void diagnosis_add(struct diagnosis *diagnosis, const char *check, const char *text, const char *advice);
/*
 * Appends to words "name=value" in lines of less than 128 bytes, a longer text in several: those findings for which
 * there is room.
 */
void diagnosis_write(const struct diagnosis *diagnosis, char *words, size_t size);
/* Such a line of a peer; others are left out. 0, or -EBADMSG: none that diagnosis_write() makes there. */
int diagnosis_take(struct diagnosis *diagnosis, const char *name, const char *value);
/* null: not known */
struct json_t *diagnosis_json(const struct diagnosis *diagnosis);
