/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The controller of `perftest matrix` and its connections: who is there, what each is doing, and some pairs at a time.
 * net/star.h notices who died or is silent; each step has a limit, so that one that hangs is lost, and not its peer.
 * The barriers of the star are not used: a pair that is over is put out at once, without those that still run.
 */
#pragma once

#include "front/matrix/crew.h"
#include "front/matrix/result.h"
#include "net/pending.h"
#include "net/star.h"

/* Of an instance. */
struct hub_end {
	struct conn conn; /* until the star has it */
	uint32_t rank;	  /* PLACE_NONE: it has none yet */
	struct result_host who;
};

/* A client is held at READY until all are. */
enum hub_state { HUB_IDLE, HUB_STARTING, HUB_LISTENING, HUB_CALLING, HUB_READY, HUB_RUNNING };

/* A program that an instance runs for a pair. */
struct hub_job {
	enum hub_state state;
	uint16_t port;			  /* of LISTENING */
	char reason[MESSAGE_REASON_SIZE]; /* of its RESULT */
	char late[64];			  /* what it did not do within its time; "": it did */
	bool stopped;			  /* it was told to end, so that its reason is not one */
};

enum hub_role { HUB_CLIENT, HUB_SERVER, HUB_ROLES };

struct hub_pair {
	unsigned adapters[HUB_ROLES]; /* as in struct result */
	/* --- of hub.c --- */
	struct hub_job jobs[HUB_ROLES];
	bool is_called, ends, is_over;
	struct deadline limit;
};

/* A pair is over, and its cell is filled in; without the lock. */
typedef void (*hub_over_fn)(void *context, const struct hub_pair *pair);

struct hub {
	struct star star; /* the first member; its lock is for all of this */
	struct wakeup wake;
	struct hub_end *ends; /* by rank, as star.conns */
	const struct matrix_params *params;
	struct crew *crew; /* what was started here, or NULL */
	struct listener *listener;
	struct pending pending;
	uint32_t joined;
	struct pollfd *fds; /* for the bell, those who join, and the crew */
	struct result *result;
	hub_over_fn over; /* set before hub_measure(); also called with NULL, about once a second */
	void *context;
	struct hub_pair *pairs; /* that are being measured */
	unsigned num_pairs;
	int64_t released_ns; /* CLOCK_MONOTONIC: when the first client was told to start */
	int64_t spread_ns;   /* from then on, until the last one said that it does */
};

/* Waits until all have joined, or the time is over: the others are lost. 0 or -errno, reported except -EINTR. */
int hub_open(struct hub *hub, const struct matrix_params *params, struct listener *listener, struct crew *crew,
	     struct result *result);
/* Of pairs at the same time, into the result's cells. Their adapters are given. 0 or -EINTR. */
int hub_measure(struct hub *hub, struct hub_pair *pairs, unsigned num_pairs);
/* Waits until then. 0; -EINTR; -ECONNRESET: fewer instances are left than a pair needs. */
int hub_rest(struct hub *hub, struct deadline until);
/* Tells all that this is the end. */
void hub_close(struct hub *hub);
