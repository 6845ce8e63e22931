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

#include "cmtime/members.h"
#include "cmtime/parameters.h"
#include "net/wakeup.h"
#include "util/deadline.h"

struct meeting {
	bool is_controller;
	uint32_t rank, count;
	uint32_t qpn_first, qpn_count;
	uint64_t token;		/* the cluster's, drawn by the controller: its connections are known by it */
	struct member *members; /* the controller's, count of them, by rank, itself first */
	struct conn controller; /* the others' */
};

/*
 * Until all have met; params then has the cluster's values. 0 or -errno, reported; -EINTR: the user stopped
 * it. After success the caller takes the channels over, or calls meeting_close().
 */
int meeting_hold(struct meeting *meeting, struct cmtime_params *params, const struct wakeup *wake);
void meeting_close(struct meeting *meeting);
/*
 * The part of who is not the controller, over meeting->controller: says JOIN and waits for what comes of it. As
 * meeting_hold(), and -EAGAIN: the controller was gone before it answered. For meeting_hold(), and for tests.
 */
int meeting_ask(struct meeting *meeting, struct cmtime_params *params, const struct wakeup *wake,
		struct deadline deadline);

#endif
