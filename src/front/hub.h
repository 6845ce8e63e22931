/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The controller of `perftest matrix` and its connections: who is there, what each is doing, and some pairs at a time.
 * net/star.h notices who died or is silent; each step has a limit, so that one that hangs is lost, and not its peer.
 */
#ifndef FRONT_HUB_H
#define FRONT_HUB_H

#include "front/crew.h"
#include "front/result.h"
#include "net/star.h"

/* What an instance is doing. */
enum hub_state { HUB_IDLE, HUB_STARTING, HUB_LISTENING, HUB_CALLING };

struct hub_end {
	struct conn conn; /* until the star has it */
	uint32_t rank;	  /* PLACE_NONE: it has none yet */
	struct result_host who;
	enum hub_state state;
	uint16_t port;			   /* of LISTENING */
	char reason[DISPATCH_REASON_SIZE]; /* of its last ENDED */
	char late[64];			   /* what it did not do within its time; "": it did */
	bool stopped;			   /* it was told to end, so that its reason is not one */
};

struct hub_pair {
	unsigned client, server;
};

struct hub {
	struct star star; /* the first member; its lock is for all of this */
	struct wakeup wake;
	struct hub_end *ends; /* by rank, as star.conns */
	const struct matrix_params *params;
	struct crew *crew; /* what was started here, or NULL */
	struct result *result;
	const struct hub_pair *pairs; /* that are being measured */
	unsigned num_pairs;
};

/* Waits until all have joined, or the time is over: the others are lost. 0 or -errno, reported except -EINTR. */
int hub_open(struct hub *hub, const struct matrix_params *params, struct listener *listener, struct crew *crew,
	     struct result *result);
/* Of disjoint pairs at the same time, into the result's cells. 0 or -EINTR. */
int hub_measure(struct hub *hub, const struct hub_pair *pairs, unsigned num_pairs);
/* Tells all that this is the end. */
void hub_close(struct hub *hub);

#endif
