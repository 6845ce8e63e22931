/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the instances find each other. The one that can listen on the controller's address is the controller; the others
 * keep trying to connect to it. Each sends its role and its options. Once all have joined, the controller numbers them,
 * distributes the numbers of QPs that are not created, and tells all what is run, or why nothing can be.
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
#include "util/run_id.h"

struct cmtime_rendezvous {
	bool is_controller;
	bool has_begun; /* others have answered, or may join: what fails from here on concerns this test alone */
	struct frame_place place;
	struct member *members; /* controller only: place.count of them, by rank, itself first */
	struct conn controller; /* all others */
};

/*
 * Returns when all have joined; params then has the cluster's values. 0 or -errno, reported; -EINTR: the user stopped
 * it; -ENOTSUP: there are only clients, or only servers. After success the caller takes over the connections, or calls
 * rendezvous_close().
 */
int rendezvous_run(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params, const struct wakeup *wake);
void rendezvous_close(struct cmtime_rendezvous *rendezvous);
/*
 * The part of an instance that is not the controller, over rendezvous->controller: sends HELLO and waits for the
 * result. Returns as rendezvous_run(), or -EAGAIN: the connection was closed before any answer. Called by
 * rendezvous_run() and tests.
 */
int rendezvous_ask(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params, const struct wakeup *wake,
		   struct deadline deadline);

/* --- controller.c: a connection is pending until it sends HELLO, and a member from then on --- */

/* Large; a program has only one, and only the main thread uses it. */
struct controller {
	const struct cmtime_params *params;
	const struct wakeup *wake;
	struct deadline deadline;
	struct listener listener;
	struct pending pending; /* connections that have not identified themselves; set by controller_prepare() */
	struct member *members; /* FRAME_MAX_PEERS, owned by the caller; the first is the controller itself */
	uint32_t num_members;
	struct option_merge merge; /* of their requests */
	bool met_other;		   /* an instance of rdma-core's cmtime, which waits for what this one never says */
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
