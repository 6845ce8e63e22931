/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the instances find each other. The one that can listen on the controller's address is the controller; the others
 * keep trying to connect to it. Each sends its role and its options. Once all have joined, the controller numbers them,
 * distributes the numbers of QPs that are not created, and tells all what is run, or why nothing can be.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmtime/members.h"
#include "cmtime/parameters.h"
#include "net/wakeup.h"
#include "util/deadline.h"
#include "util/run_id.h"

struct cmtime_rendezvous {
	bool is_controller;
	struct frame_place place;
	struct member *members; /* controller only: place.count of them, by rank, itself first */
	struct conn controller; /* all others */
	bool acknowledged;	/* all others: a controller has acknowledged their JOIN */
};

/*
 * Returns when all have joined; params then has the cluster's values. 0 or -errno, reported; -EINTR: the user stopped
 * it. After success the caller takes over the connections, or calls rendezvous_close().
 */
int rendezvous_run(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params, const struct wakeup *wake);
void rendezvous_close(struct cmtime_rendezvous *rendezvous);
/*
 * The part of an instance that is not the controller, over rendezvous->controller: sends JOIN and waits for the result.
 * Returns as rendezvous_run(), or -EAGAIN: the connection was closed before an answer. Called by rendezvous_run() and
 * tests.
 */
int rendezvous_ask(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params, const struct wakeup *wake,
		   struct deadline deadline);
