/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a latency loop. Included by the files that it consists of, lat_*.h and latency.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "loops/cq_wait.h"
#include "loops/lane.h"
#include "loops/run.h"

/* Besides those of a lane. */
enum lat_flag {
	LAT_EVENTS = 1 << 6,
	LAT_GAP = 1 << 7,
	LAT_SLOTS = 1 << 8, /* a slot for each message (--data_validation) */
	LAT_TURNS = 1 << 9, /* the sides take turns: see latency.c */
};

#define LATE_ROOM 4 /* there are three at a time */

/* What this side's next message does, if sides take turns. */
enum turn { TURN_ASK, TURN_HAND_OVER, TURN_ANSWER };

struct exchange {
	struct lane lane; /* its poster is for messages that were not delayed; one message is in flight at a time */
	uint64_t limit;	  /* messages that this side posts */
	bool spent;	  /* the last answer's receive is to be replaced */
	bool open;	  /* a sample is in progress, */
	uint64_t begin;	  /* since then */
	uint64_t longest; /* of all samples, cycles */
	/* Samples that are still to be recorded. */
	unsigned num_late;
	uint64_t late[LATE_ROOM]; /* cycles */
	enum turn turn;
	/* If the next message follows an answer at once: see lat_ping_pong.h. */
	bool pauses; /* the next message does not follow: there is more to do than to post */
	/* when this many messages are posted, the next one is the last; UINT64_MAX: on the other side */
	uint64_t pause_at;
	bool apart;	  /* the sample of the next message, or of that in flight, ends with its answer, */
	uint64_t before;  /* and began here */
	bool over;	  /* the awaited answer is the last one, because of the time, */
	bool interrupted; /* or of the user */
	/* How a delayed message is marked. */
	uint8_t count_mask;  /* of the polled byte: the bits that count; the others are set if it was delayed */
	uint32_t held_bytes; /* of a receive; UINT32_MAX: none is marked */
	/* The last answer: */
	bool held;	       /* its byte says that it was delayed */
	uint32_t answer_bytes; /* of a receive */
	int num_sge;	       /* of this side's next message: none if it is empty */
	bool delayed;	       /* this side's next message was delayed */
	uint64_t hold_spent;   /* messages: see mark_delayed() */
	uint64_t peer_hold;    /* the same for the other side */
	uint32_t drops_left;   /* samples still to be dropped: the first, and as many as the other side drops */
	struct cq_wait cq_wait;
};
