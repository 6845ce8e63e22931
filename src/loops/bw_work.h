/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a bandwidth loop keeps while it runs: for bw_post.h, which posts, bw_reap.h, which polls, and bandwidth.c. */
#ifndef LOOPS_BW_WORK_H
#define LOOPS_BW_WORK_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "loops/cq_wait.h"
#include "loops/poll_monitor.h"
#include "loops/wr_api.h"
#include "verbs/credit.h"

struct tx_state {
	struct ibv_qp *qp; /* of the interface that the run uses */
	struct ibv_send_wr *wr;
	struct ibv_sge *sge;
	uint64_t *remote_addr;		/* in wr; for two-sided operations a variable that is never read */
	const struct wr_poster *poster; /* BW_WR_API */
	struct slot_stride slots;
	uint64_t left;	    /* messages to post */
	uint32_t room;	    /* messages that the queue takes */
	uint32_t to_signal; /* messages up to and with the next signalled one */
	uint32_t number;    /* BW_SLOTS: of the next message */
};

struct work {
	struct tx_state *tx_states;
	struct ibv_wc *wc;
	int batch;
	int found;	      /* completions of sends that the last poll found; fewer than batch: there are no more */
	uint32_t stride;      /* messages that a completion stands for; the last of a queue pair for fewer */
	unsigned plain_flags; /* of an unsignalled message */
	uint32_t repost_at;   /* receives that wait when a chain is due */
	bool refill;	      /* many queue pairs: room has to be looked for in every tx_state */
	unsigned refill_from; /* BW_RATE: the tx_state with which the next burst begins */
	int64_t budget;	      /* BW_RATE: messages still to post whose time has passed; chains take them whole */
	double burst_due;     /* BW_RATE: when the next burst is due: cycles after the run's begin, */
	uint64_t burst_at;    /* BW_RATE: the same as a stamp; UINT64_MAX: none is */
	uint64_t burst_left;  /* BW_RATE: messages of the run, or of the sample window, that are in no burst yet */
	bool burst_leads;     /* BW_RATE: bursts are due at the begin of their time, not at its end */
	uint64_t window_at;   /* BW_RATE: when the sample window begins; UINT64_MAX: it has, or there is none */
	uint64_t send_target; /* completed, when all is done */
	uint64_t receive_target; /* received, when all is done */
	uint64_t end_cycles;	 /* when posting ends; UINT64_MAX once it has */
	uint64_t early_arrivals; /* BW_CLOCK: messages received before the sample window */
	uint64_t early_receives; /* receiver: so many hold all that its first look left behind */
	bool begun;		 /* receiver: its clock has started for good */
	uint64_t now;		 /* BW_CLOCK: behind the last poll that found something */
	uint64_t uncounted;	 /* BW_CLOCK: messages of the poll that ended the run with an error */
	uint64_t before;	 /* BW_CLOCK: before the last poll of the sends that may have filled a peak window */
	uint64_t posted_before;	 /* BW_CLOCK, BW_MANY: messages posted before that poll */
	uint64_t sent_cycles;	 /* without BW_CLOCK, with -b: when the last send had completed; 0: not yet */
	struct poll_monitor monitor;
	struct cq_wait cq_wait;
	bool second_first;	/* BW_PORTS: the second port's completion queue is polled before the other one */
	uint64_t port_moved[2]; /* BW_PORTS: of the last poll, as `moved` counts */
	uint32_t window;	/* BW_CREDITS: receives that a queue pair has when all are posted */
	bool is_held_up;	/* BW_CREDITS: there is room for a message, and no receive of the peer's */
	bool owes_credit;	/* BW_CREDITS: some peer is to be told of new receives */
	bool begins_credit;	/* BW_CREDITS: ... each of all that were posted before the run */
	uint64_t nowhere;	/* where remote_addr points for two-sided operations */
};

#endif
