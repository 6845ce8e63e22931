/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The members of a cluster, as the controller knows them. controller.c collects them, link.c synchronizes them. */
#ifndef CMTIME_MEMBERS_H
#define CMTIME_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmtime/frame.h"
#include "cmtime/option_merge.h"

struct member {
	struct conn conn; /* from the controller to this instance; closed for itself */
	bool listens;
	uint8_t families;	       /* of its local addresses */
	uint32_t base_qpn;	       /* requested, for QPs that are not created */
	uint32_t qpn_first, qpn_count; /* assigned */
	char host[FRAME_HOST_SIZE];
	char config[OPTION_MERGE_TEXT_SIZE];
};

/*
 * Gives each member a range of count numbers from its requested one, moved up past the ranges of earlier members, or
 * down to the lowest free numbers if the 24 bits are exceeded. 0 or -ERANGE: they do not all fit.
 */
int members_share_qpns(struct member *members, uint32_t num_members, uint32_t count);

/* The name of this host. */
void member_host(char host[FRAME_HOST_SIZE]);
/* "client 2 (alpha)". Returns text. */
const char *member_name(uint32_t rank, bool listens, const char *host, char text[OPTION_MERGE_NAME_SIZE]);

#endif
