/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes all instances run the same test: each sends the controller the options that it was given, as text; the
 * controller merges them, or names two that contradict each other; and each instance adopts the values that it was not
 * given itself. Pure functions on text; rendezvous.c sends it.
 */
#pragma once

#include "cmtime/parameters.h"

#define OPTION_MERGE_TEXT_SIZE 4096 /* for all shared options, including the NUL */
#define OPTION_MERGE_NAME_SIZE 96   /* "client 2 (alpha)" */

/* The requests of all instances so far. To be zeroed at first. */
struct option_merge {
	struct option_request {
		char value[64]; /* in the format of opt_value_write(); "": not given */
		char who[OPTION_MERGE_NAME_SIZE];
	} requests[CMTIME_MAX_OPTIONS]; /* by row */
};

/* The options that were given on this command line and are not local: "connections=1000\n". Returns text. */
const char *option_merge_export(const struct cmtime_params *params, char text[OPTION_MERGE_TEXT_SIZE]);
/* Adds the requests of an instance. 0, or -EINVAL and a reason that names both instances and both values. */
int option_merge_add(struct option_merge *merge, const char *who, const char *text, char *reason, size_t reason_size);
/* All requests as text. Returns text. */
const char *option_merge_write(const struct option_merge *merge, char text[OPTION_MERGE_TEXT_SIZE]);
/* Adopts the cluster's values. 0, or -EINVAL and a reason, without any change. */
int option_merge_adopt(struct cmtime_params *params, const char *text, char *reason, size_t reason_size);
/* The expected number of instances, as far as known: the -P of one, or the default. */
unsigned option_merge_peers(const struct option_merge *merge);
