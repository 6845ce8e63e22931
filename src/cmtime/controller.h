/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The controller's side of a rendezvous: a connection is pending until it says JOIN, and then a member. For
 * rendezvous.c. A controller is large; there is one a program, and only the main thread meets.
 */
#ifndef CMTIME_CONTROLLER_H
#define CMTIME_CONTROLLER_H

#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmtime/members.h"
#include "cmtime/parameters.h"
#include "net/listener.h"
#include "net/pending.h"
#include "net/wakeup.h"
#include "util/deadline.h"

struct controller {
	const struct cmtime_params *params;
	const struct wakeup *wake;
	struct deadline deadline;
	bool follows; /* takes the place of a controller that ended before all had met */
	struct listener listener;
	struct pending pending; /* connections that have not said who they are; controller_prepare() */
	struct member *members; /* FRAME_MAX_PEERS, of the caller; the first is the controller itself */
	uint32_t num_members;
	uint64_t token; /* what connections of this cluster are known by */
};

/* Ready for pending; the struct is zeroed but for params, wake, deadline and members. */
void controller_prepare(struct controller *controller);
/* 0: this is the controller; -EADDRNOTAVAIL or -EADDRINUSE: another instance is; others are reported. */
int controller_open(struct controller *controller, const struct addrinfo *found);
/* Until all have met and been told what is run; params then has the cluster's values. 0 or -errno, reported. */
int controller_run(struct controller *controller, struct cmtime_params *params);
/*
 * What controller_run() is made of; for tests that don't wait. A connection is there, and pending; what connections and
 * members have said so far is dealt with (0, or -EINVAL: what one of them requests contradicts the others, and all were
 * told); are all there?; and then they are told what is run.
 */
void controller_enter(struct controller *controller, const struct cmtime_params *params); /* the controller itself */
void controller_admit(struct controller *controller, int fd);				  /* takes the socket over */
int controller_listen(struct controller *controller);
bool controller_is_full(const struct controller *controller);
int controller_begin(struct controller *controller, struct cmtime_params *params);
/* The listeners and the pending connections go; members stay. */
void controller_close(struct controller *controller);

#endif
