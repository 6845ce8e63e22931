/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The result of a check: a verdict, what was seen, and what to do about it. */
#pragma once

#include <stddef.h>

enum verdict {
	VERDICT_NONE,	 /* not applicable here: prints no line */
	VERDICT_OK,	 /* no reason for a slow or a failing run */
	VERDICT_LOOK,	 /* may be one */
	VERDICT_UNKNOWN, /* could not be read, or is inconclusive */
	VERDICT_COUNT,
};

struct finding {
	enum verdict verdict;
	char text[2304];  /* what was seen */
	char advice[768]; /* what to do; "" if nothing */
};

/* The text, and the advice on a line of its own. Each returns 0, as a check does that needs nothing more. */
int finding_set(struct finding *finding, enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define finding_ok(finding, ...)      finding_set(finding, VERDICT_OK, __VA_ARGS__)
#define finding_unknown(finding, ...) finding_set(finding, VERDICT_UNKNOWN, __VA_ARGS__)
#define finding_look(finding, ...)    finding_set(finding, VERDICT_LOOK, __VA_ARGS__)

/* "ok", "look here", "unknown" */
const char *verdict_word(enum verdict verdict);
