/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The controller's part of a rendezvous. A connection is pending until it sends JOIN, and a member from then on. Called
 * by rendezvous.c. A controller is large; a program has only one, and only the main thread uses it.
 */
#pragma once

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
	bool follows; /* replaces a controller that ended before all had joined */
	struct listener listener;
	struct pending pending; /* connections that have not identified themselves; set by controller_prepare() */
	struct member *members; /* FRAME_MAX_PEERS, owned by the caller; the first is the controller itself */
	uint32_t num_members;
	bool met_other; /* an instance of rdma-core's cmtime, which waits for what this one never says */
};

/* Prepares pending; the struct is zero except for params, wake, deadline and members. */
void controller_prepare(struct controller *controller);
/* 0: this instance is the controller; -EADDRNOTAVAIL or -EADDRINUSE: another one is; other errors are reported. */
int controller_open(struct controller *controller, const struct addrinfo *found);
/*
 * Waits until all have joined, and tells them what is run; params then has the cluster's values. 0 or -errno, reported.
 */
int controller_run(struct controller *controller, struct cmtime_params *params);
/*
 * The parts of controller_run(), for tests that do not wait: adds the controller itself; adds a connection, which is
 * pending; handles what connections and members have sent (0, or -EINVAL: the options of one contradict the others, and
 * all were told); have all joined?; tells them what is run.
 */
void controller_enter(struct controller *controller, const struct cmtime_params *params); /* the controller itself */
void controller_admit(struct controller *controller, int fd); /* takes ownership of the socket */
int controller_listen(struct controller *controller);
bool controller_is_full(const struct controller *controller);
int controller_begin(struct controller *controller, struct cmtime_params *params);
/* Closes the listeners and the pending connections, but not the members. */
void controller_close(struct controller *controller);
