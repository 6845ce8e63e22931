/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who takes part, as the controller knows them? For controller.c, which gathers them, and link.c, which keeps them in
 * step.
 */
#ifndef CMTIME_MEMBERS_H
#define CMTIME_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmtime/frame_conn.h"
#include "cmtime/option_merge.h"

struct member {
	struct conn conn; /* the controller's to this instance; closed for itself */
	bool listens;
	uint32_t base_qpn;	       /* requested, of queue pairs that are not made */
	uint32_t qpn_first, qpn_count; /* given */
	char host[FRAME_HOST_SIZE];
	char config[OPTION_MERGE_TEXT_SIZE];
};

/*
 * Gives every member a range of count numbers from its request on, moved up past the ranges of those before it,
 * and back to the lowest free numbers at the end of the 24 bits. 0 or -ERANGE: they do not all fit.
 */
int members_share_qpns(struct member *members, uint32_t num_members, uint32_t count);

/* The name of this host. */
void member_host(char host[FRAME_HOST_SIZE]);
/* "client 2 (alpha)". Returns text. */
const char *member_name(uint32_t rank, bool listens, const char *host, char text[OPTION_MERGE_NAME_SIZE]);

#endif
