/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a latency loop. Included by the files that it consists of, lat_*.h and latency.c. */
#ifndef LOOPS_LAT_STATE_H
#define LOOPS_LAT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "loops/cq_wait.h"
#include "loops/poll_monitor.h"
#include "loops/run.h"

struct wr_poster;

enum lat_flag {
	ANSWER_BYTE = 1 << 0,
	ANSWER_RECEIVE = 1 << 1,
	ANSWER_COMPLETION = 1 << 2,
	LAT_WR_API = 1 << 3,
	LAT_EVENTS = 1 << 4,
	LAT_GAP = 1 << 5,
	LAT_SLOTS = 1 << 6,  /* a slot for each message (--data_validation) */
	LAT_TURNS = 1 << 7,  /* the sides take turns: see latency.c */
	LAT_SHARED = 1 << 8, /* receives come from a shared queue (SRQ) */
};

#define LATE_ROOM 4 /* there are three at a time */

/* What this side's next message does, if sides take turns. */
enum turn { TURN_ASK, TURN_HAND_OVER, TURN_ANSWER };

struct exchange {
	struct tx_queue *tx;
	struct rx_queue *rx;
	const struct wr_poster *poster; /* LAT_WR_API: for messages that were not delayed */
	uint64_t limit;			/* messages that this side posts */
	bool signalled;			/* a signalled message of a ping-pong has not completed yet */
	uint32_t to_signal;
	uint32_t signal_every;
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
	bool holds;	       /* this side's next message was delayed */
	uint64_t hold_spent;   /* messages: see hold() */
	uint64_t peer_hold;    /* the same for the other side */
	uint32_t drops_left;   /* samples still to be dropped: the first, and as many as the other side drops */
	unsigned plain_flags;
	uint32_t repost_at;
	struct poll_monitor monitor;
	struct cq_wait cq_wait;
};

#endif
