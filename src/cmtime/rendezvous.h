/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do the instances find each other? The one that can listen at the controller's address is the controller;
 * the others connect to it, for as long as it takes it to come up. Each says who it is and what its user
 * asked for; once all are there the controller numbers them, shares out the numbers of queue pairs that are
 * not made, and tells all what is run. Or it tells all why nothing is.
 */
#ifndef CMTIME_RENDEZVOUS_H
#define CMTIME_RENDEZVOUS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmtime/members.h"
#include "cmtime/parameters.h"
#include "net/wakeup.h"
#include "util/deadline.h"

struct cmtime_rendezvous {
	bool is_controller;
	uint32_t rank, count;
	uint32_t qpn_first, qpn_count;
	uint64_t token;		/* the cluster's, drawn by the controller: its connections are known by it */
	struct member *members; /* the controller's, count of them, by rank, itself first */
	struct conn controller; /* the others' */
	bool heard;		/* the others': a controller has taken their JOIN */
};

/*
 * Until all have met; params then has the cluster's values. 0 or -errno, reported; -EINTR: the user stopped
 * it. After success the caller takes the channels over, or calls rendezvous_close().
 */
int rendezvous_run(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params, const struct wakeup *wake);
void rendezvous_close(struct cmtime_rendezvous *rendezvous);
/*
 * The part of who is not the controller, over rendezvous->controller: says JOIN and waits for what comes of it. As
 * rendezvous_run(), and -EAGAIN: the controller was gone before it answered. For rendezvous_run(), and for tests.
 */
int rendezvous_ask(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params, const struct wakeup *wake,
		   struct deadline deadline);

#endif
