/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The controller's side of a meeting: whoever connects is a stranger until it says JOIN, and then a member. For
 * meeting.c. A hall is large; there is one a program, and only the main thread meets.
 */
#ifndef CMTIME_HALL_H
#define CMTIME_HALL_H

#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmtime/members.h"
#include "cmtime/parameters.h"
#include "net/listener.h"
#include "net/pending.h"
#include "net/wakeup.h"
#include "util/deadline.h"

struct hall {
	const struct cmtime_params *params;
	const struct wakeup *wake;
	struct deadline deadline;
	struct listener listener;
	struct pending strangers; /* connections that have not said who they are; hall_prepare() */
	struct member *members;	  /* FRAME_MAX_PEERS, of the caller; the first is the controller itself */
	uint32_t num_members;
	uint64_t token; /* what connections of this cluster are known by */
};

/* Ready for strangers; the struct is zeroed but for params, wake, deadline and members. */
void hall_prepare(struct hall *hall);
/* 0: this is the controller; -EADDRNOTAVAIL or -EADDRINUSE: somebody else is; others are reported. */
int hall_open(struct hall *hall, const struct addrinfo *found);
/* Until all have met and been told what is run; params then has the cluster's values. 0 or -errno, reported. */
int hall_hold(struct hall *hall, struct cmtime_params *params);
/*
 * What hall_hold() is made of; for tests that wait for nobody. Somebody is there, and is a stranger; what strangers
 * and members have said so far is dealt with (0, or -EINVAL: what one of them wants contradicts the others, and all
 * were told); are all there?; and then they are told what is run.
 */
void hall_enter(struct hall *hall, const struct cmtime_params *params); /* the controller itself */
void hall_admit(struct hall *hall, int fd);				/* takes the socket over */
int hall_listen(struct hall *hall);
bool hall_is_full(const struct hall *hall);
int hall_begin(struct hall *hall, struct cmtime_params *params);
/* The listeners and the strangers go; members stay. */
void hall_close(struct hall *hall);

#endif
