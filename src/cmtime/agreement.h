/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do all instances come to run the same test? Each tells the controller what its user asked for, as
 * text; the controller puts the wishes together, or names two that contradict each other; and each instance
 * takes over what it was not told itself. Pure functions over text: meeting.c carries it.
 */
#ifndef CMTIME_AGREEMENT_H
#define CMTIME_AGREEMENT_H

#include "cmtime/parameters.h"

#define AGREEMENT_TEXT_SIZE 4096 /* of all that can be shared, with its NUL */
#define AGREEMENT_NAME_SIZE 96	 /* "client 2 (alpha)" */

/* What the instances asked for so far. Zeroed at first. */
struct agreement {
	struct agreement_wish {
		char value[64]; /* as opt_value_write() writes it; "": nobody asked */
		char who[AGREEMENT_NAME_SIZE];
	} wishes[CMTIME_MAX_OPTIONS]; /* by row */
};

/* "connections=1000\n": what was given on this command line and is not local. Returns text. */
const char *agreement_export(const struct cmtime_params *params, char text[AGREEMENT_TEXT_SIZE]);
/* Adds the wishes of an instance. 0, or -EINVAL and a reason that names both instances and both values. */
int agreement_merge(struct agreement *agreement, const char *who, const char *text, char *reason, size_t reason_size);
/* All wishes as text. Returns text. */
const char *agreement_write(const struct agreement *agreement, char text[AGREEMENT_TEXT_SIZE]);
/* Takes the cluster's values over. 0, or -EINVAL and a reason; then nothing is changed. */
int agreement_adopt(struct cmtime_params *params, const char *text, char *reason, size_t reason_size);
/* How many instances there will be, as far as is known: somebody's -P, or the default. */
unsigned agreement_peers(const struct agreement *agreement);

#endif
