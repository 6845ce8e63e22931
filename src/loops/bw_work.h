/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of a running bandwidth loop: for bw_post.h, which posts, bw_reap.h, which polls and counts, and
 * bandwidth.c.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loops/poll_monitor.h"
#include "loops/run.h"
#include "loops/wr_api.h"
#include "verbs/qp/credit.h"

/* What an instance of the loop does. */
enum bw_flag {
	BW_SENDS = 1 << 0,
	BW_RECEIVES = 1 << 1,
	BW_MANY = 1 << 2,      /* more than one queue pair */
	BW_MODERATED = 1 << 3, /* not every message is signalled; never with BW_LIST */
	BW_LIST = 1 << 4,      /* chains of more than one send */
	BW_CLOCK = 1 << 5,     /* the clock is read at each successful poll: peak, sample window, end by time */
	BW_WR_API = 1 << 6,
	BW_EVENTS = 1 << 7,
	BW_RATE = 1 << 8,    /* software rate limit */
	BW_SLOTS = 1 << 9,   /* a slot for each message (--data_validation) */
	BW_SHARED = 1 << 10, /* queue pairs share receives (SRQ) */
	/*
	 * Two ports: what moves is counted per port, and the second may have completion queues of its own. Always with
	 * BW_MANY; never with BW_READS.
	 */
	BW_PORTS = 1 << 12,
	/* Arrivals are passed to hooks.arrived(). Never with BW_SLOTS, several queues or BW_LIST. */
	BW_READS = 1 << 11,
	/* Arrivals are counted per receive queue. Always with BW_MANY; never with BW_SENDS or BW_SHARED. */
	BW_QUEUES = 1 << 13,
	/*
	 * The receiver grants credits to the sender (verbs/qp/credit.h). Always with BW_MANY; never with BW_SHARED,
	 * BW_PORTS or BW_QUEUES.
	 */
	BW_CREDITS = 1 << 14,
	/* Arrivals are counted by their length. Always with BW_MANY and BW_CLOCK, otherwise only with BW_EVENTS. */
	BW_LENGTHS = 1 << 15,
};

struct tx_state {
	struct ibv_qp *qp; /* for the interface that the run uses */
	struct ibv_send_wr *wr;
	struct ibv_sge *sge;
	uint64_t *remote_addr;		/* in wr; with two-sided operations an unused variable */
	const struct wr_poster *poster; /* BW_WR_API */
	struct slot_stride slots;
	uint64_t left;	    /* messages to post */
	uint32_t room;	    /* free entries of the part of the send queue that is used, in messages */
	uint32_t depth;	    /* entries of that part */
	uint32_t to_signal; /* messages up to and including the next signalled one */
	uint32_t number;    /* BW_SLOTS: of the next message */
};

struct work {
	struct tx_state *tx_states;
	struct ibv_wc *wc;
	int batch;
	/* completions that the last poll of the sends found; fewer than batch: the queue is empty */
	int found;
	uint32_t stride;      /* messages per completion; the last completion of a queue pair may cover fewer */
	unsigned plain_flags; /* of an unsignalled message */
	uint32_t repost_at;   /* used receives at which a chain is due */
	uint32_t part;	      /* entries of a send queue used at first, and then added each time; 0: all are used */
	bool refill;	      /* many queue pairs: every tx_state has to be checked for room */
	unsigned refill_from; /* BW_RATE: the tx_state with which the next burst begins */
	int64_t budget;	      /* BW_RATE: messages that are due and not posted; chains are posted whole */
	double burst_due;     /* BW_RATE: when the next burst is due: cycles after the start of the run, */
	uint64_t burst_at;    /* BW_RATE: the same as a stamp; UINT64_MAX: none is */
	uint64_t burst_left;  /* BW_RATE: messages of the run, or of the sample window, that are not in a burst yet */
	bool burst_leads;     /* BW_RATE: bursts are due at the start of their time, not at its end */
	uint64_t window_at;   /* BW_RATE: start of the sample window; UINT64_MAX: it has begun, or there is none */
	uint64_t send_target; /* completed, when all is done */
	uint64_t receive_target; /* received, when all is done */
	uint64_t end_cycles;	 /* when posting ends; UINT64_MAX once it has */
	uint64_t early_arrivals; /* BW_CLOCK: messages received before the sample window */
	uint64_t early_receives; /* receiver: at least as many as the first look left in the CQ */
	bool begun;		 /* receiver: its clock has finally started */
	uint64_t now;		 /* BW_CLOCK: after the last poll that found something */
	uint64_t uncounted;	 /* BW_CLOCK: messages of the poll that ended the run with an error */
	uint64_t before;	 /* BW_CLOCK: before the last poll of the sends that may have filled a peak window */
	uint64_t posted_before;	 /* BW_CLOCK, BW_MANY: messages posted before that poll */
	uint64_t sent_cycles;	 /* without BW_CLOCK, with -b: when the last send had completed; 0: not yet */
	struct poll_monitor monitor;
	struct cq_wait cq_wait;
	bool second_first;	/* BW_PORTS: the second port's completion queue is polled before the other one */
	uint64_t port_moved[2]; /* BW_PORTS: by the last poll, as `moved` counts */
	uint32_t window;	/* BW_CREDITS: receives of a queue pair when all are posted */
	bool is_held_up;	/* BW_CREDITS: the send queue has room, but the peer has granted no credit */
	bool owes_credit;	/* BW_CREDITS: a peer must be granted new credits */
	bool begins_credit;	/* BW_CREDITS: ... for all receives posted before the run */
	uint64_t nowhere;	/* target of remote_addr for two-sided operations */
};

/*
 * --- the variants of the loop ---
 *
 * For bandwidth.c and its unit test. There is one body. An instance is that body with flags known at compile time;
 * bw_general() is the body with flags known at run time. bw_slots(), bw_reads(), bw_ports(), bw_queues(), bw_lengths()
 * and bw_credits() add message slots, received data, two ports, counts per receive queue or length, or flow control,
 * which so cost other runs nothing.
 */

struct bw_instance {
	unsigned flags;
	loop_fn loop;
};

extern const struct bw_instance bw_instances[];
extern const size_t bw_num_instances;

/* The flags of a run; role is BW_SENDS, BW_RECEIVES or both. */
unsigned bw_flags(const struct run *run, unsigned role);
/* Without BW_SLOTS, BW_READS, BW_PORTS, BW_QUEUES, BW_LENGTHS and BW_CREDITS. */
int bw_general(struct run *run, unsigned flags);
/* With the flag in their name. */
int bw_slots(struct run *run, unsigned flags);
int bw_reads(struct run *run, unsigned flags);
int bw_ports(struct run *run, unsigned flags);
int bw_queues(struct run *run, unsigned flags);
int bw_lengths(struct run *run, unsigned flags);
int bw_credits(struct run *run, unsigned flags);
