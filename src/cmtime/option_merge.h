/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do all instances come to run the same test? Each tells the controller what its user asked for, as
 * text; the controller puts the requests together, or names two that contradict each other; and each instance
 * takes over what it was not told itself. Pure functions over text: rendezvous.c carries it.
 */
#ifndef CMTIME_OPTION_MERGE_H
#define CMTIME_OPTION_MERGE_H

#include "cmtime/parameters.h"

#define OPTION_MERGE_TEXT_SIZE 4096 /* of all that can be shared, with its NUL */
#define OPTION_MERGE_NAME_SIZE 96   /* "client 2 (alpha)" */

/* What the instances asked for so far. Zeroed at first. */
struct option_merge {
	struct option_request {
		char value[64]; /* as opt_value_write() writes it; "": not given */
		char who[OPTION_MERGE_NAME_SIZE];
	} requests[CMTIME_MAX_OPTIONS]; /* by row */
};

/* "connections=1000\n": what was given on this command line and is not local. Returns text. */
const char *option_merge_export(const struct cmtime_params *params, char text[OPTION_MERGE_TEXT_SIZE]);
/* Adds the requests of an instance. 0, or -EINVAL and a reason that names both instances and both values. */
int option_merge_add(struct option_merge *merge, const char *who, const char *text, char *reason, size_t reason_size);
/* All requests as text. Returns text. */
const char *option_merge_write(const struct option_merge *merge, char text[OPTION_MERGE_TEXT_SIZE]);
/* Takes the cluster's values over. 0, or -EINVAL and a reason; then nothing is changed. */
int option_merge_adopt(struct cmtime_params *params, const char *text, char *reason, size_t reason_size);
/* How many instances there will be, as far as is known: the -P of one, or the default. */
unsigned option_merge_peers(const struct option_merge *merge);

#endif
