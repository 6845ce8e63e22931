/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do the instances find each other? Whoever can listen at the controller's address is the controller;
 * the others connect to it, for as long as it takes it to come up. Each says who it is and what its user
 * asked for; once all are there the controller numbers them, shares out the numbers of queue pairs that are
 * not made, and tells everybody what is run. Or it tells everybody why nothing is.
 */
#ifndef CMTIME_MEETING_H
#define CMTIME_MEETING_H

#include <stdbool.h>
#include <stdint.h>

#include "cmtime/agreement.h"
#include "cmtime/channel.h"
#include "cmtime/wake.h"

struct member {
	struct channel channel; /* the controller's to this instance; closed for itself */
	bool listens;
	uint32_t base_qpn;
	uint32_t qpn_first, qpn_count;
	char host[FRAME_HOST_SIZE];
	char config[AGREEMENT_TEXT_SIZE];
};

struct meeting {
	bool is_controller;
	uint32_t rank, count;
	uint32_t qpn_first, qpn_count;
	struct member *members;	   /* the controller's, count of them, by rank, itself first */
	struct channel controller; /* the others' */
};

/*
 * Until all have met; params then has the cluster's values. 0 or -errno, reported; -EINTR: the user stopped
 * it. After success the caller takes the channels over, or calls meeting_close().
 */
int meeting_hold(struct meeting *meeting, struct cmtime_params *params, const struct wake *wake);
void meeting_close(struct meeting *meeting);

/*
 * Gives every member a range of count numbers from its wish on, moved up past the ranges of those before it,
 * and back to the lowest free numbers at the end of the 24 bits. 0 or -ERANGE: they do not all fit.
 */
int meeting_share_qpns(struct member *members, uint32_t num_members, uint32_t count);

/* The name of this host. */
void meeting_host(char host[FRAME_HOST_SIZE]);
/* "client 2 (alpha)". Returns text. */
const char *meeting_name(uint32_t rank, bool listens, const char *host, char text[AGREEMENT_NAME_SIZE]);

#endif
