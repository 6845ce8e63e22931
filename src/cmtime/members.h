/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The members of a cluster, as the controller knows them. controller.c collects them, link.c synchronizes them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmtime/frame.h"
#include "cmtime/option_merge.h"

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
/* This instance. */
void member_describe(const struct cmtime_params *params, struct frame_join *join);
/* "client 2 (alpha)". Returns text. */
const char *member_name(uint32_t rank, bool listens, const char *host, char text[OPTION_MERGE_NAME_SIZE]);
