/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What did a check find? One verdict, what was seen, and what to do about it. */
#ifndef DOCTOR_FINDING_H
#define DOCTOR_FINDING_H

#include <stddef.h>

struct tree;

enum verdict {
	VERDICT_NONE,	 /* there is nothing of the kind here: no line */
	VERDICT_OK,	 /* no reason for a slow or a failing run */
	VERDICT_LOOK,	 /* may well be one */
	VERDICT_UNKNOWN, /* could not be read, or does not say */
	VERDICT_COUNT,
};

struct finding {
	enum verdict verdict;
	char text[1536];  /* what was seen */
	char advice[768]; /* what to do; "" nothing */
};

void finding_ok(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_look(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_unknown(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Unknown, because of the tree's trouble. */
void finding_unread(struct finding *finding, const struct tree *tree);
void finding_advise(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "ok", "look here", "unknown" */
const char *verdict_word(enum verdict verdict);

/* Adds to a text that is cut at its size; for lists. */
void text_add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same with ", " before all but the first. */
void text_list_add(char *text, size_t size, const char *word);

#endif
