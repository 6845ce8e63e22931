/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --limit_peers: what has each client measured in a test, of which the controller's limits are? Called by cmtime.c. */
#pragma once

#include "cmtime/link.h"
#include "cmtime/report.h"
#include "stats/series.h"

struct clients {
	struct cmtime_client *list; /* in the order of ranks */
	struct series *rates;	    /* of each, of the measurements of a test */
	uint32_t count;
};

/* Free with clients_close(), which takes a zeroed struct. 0 or -ENOMEM, not reported. */
int clients_open(struct clients *clients, struct cmtime_link *link, const struct series_plan *plan);
void clients_close(struct clients *clients);
/* A test begins. */
void clients_begin(struct clients *clients);
/* A measurement of it has been merged. own: of the controller, its full connects so far, kept until the test ends. */
void clients_add(struct clients *clients, struct cmtime_link *link, unsigned test, const struct latency *own);
/* After the last one: the figures of each; NULL: there are no clients, as without --limit_peers. */
const struct cmtime_client *clients_conclude(struct clients *clients);
