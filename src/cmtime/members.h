/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The members of a cluster: their names, their numbers for queue pairs that are not created, and the options by which
 * all of them run the same test. Each sends the controller the options that it was given, as text; the controller
 * merges them, or names two that contradict each other; and each adopts the values that it was not given itself. No
 * I/O: rendezvous.c and controller.c send the text.
 */
#pragma once

#include "cmtime/frame.h"
#include "cmtime/parameters.h"

#define MEMBER_NAME_SIZE 96 /* "client 2 (alpha)" */

struct member {
	struct conn conn; /* from the controller to this instance; closed for itself */
	struct frame_join join;
	struct frame_place place; /* its range of numbers is from join.base_qpn on if possible */
};

/*
 * Gives each member a range of count numbers from its requested one, moved up past the ranges of earlier members, or
 * down to the lowest free numbers if the 24 bits are exceeded. 0 or -ERANGE: they do not all fit.
 */
int members_share_qpns(struct member *members, uint32_t num_members, uint32_t count);

/* The name of this host. */
void member_host(char host[FRAME_HOST_SIZE]);
/* This instance, with the options that were given on its command line and are not local: "connections=1000\n". */
void member_describe(const struct cmtime_params *params, struct frame_join *join);
/* "client 2 (alpha)". Returns text. */
const char *member_name(uint32_t rank, bool listens, const char *host, char text[MEMBER_NAME_SIZE]);

/* The requests of all instances so far. */
struct option_merge {
	struct cmtime_params values; /* defaults for what was not given */
	bool given[CMTIME_MAX_OPTIONS];
	char who[CMTIME_MAX_OPTIONS][MEMBER_NAME_SIZE]; /* was given it first */
};

void option_merge_begin(struct option_merge *merge);
/*
 * Adds the requests of an instance. 0, or -EINVAL and a reason that names both instances and both values; then nothing
 * was added.
 */
int option_merge_add(struct option_merge *merge, const char *who, const char *text, char *reason, size_t reason_size);
/* All requests as text. */
void option_merge_write(const struct option_merge *merge, char text[FRAME_CONFIG_SIZE]);
/* Adopts the cluster's values. 0, or -EINVAL and a reason, without any change. */
int option_merge_adopt(struct cmtime_params *params, const char *text, char *reason, size_t reason_size);
