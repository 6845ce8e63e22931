/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What both sides counted, and the figures that follow from it. */
#ifndef QPERF_FIGURES_H
#define QPERF_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "qperf/parameters.h"
#include "qperf/tests.h"

struct latency;

/* Whole messages only. */
struct tally {
	uint64_t bytes;
	uint64_t msgs;
	uint64_t errors; /* system calls that failed, and went on */
};

/* One side's account of a test. */
struct account {
	double elapsed_s; /* from the begin of the loop to its end, by the cycle counter */
	/* what the whole machine did meanwhile, all CPUs, all processes, as /proc/stat has it */
	uint32_t cpus;
	double user_s;	 /* user and nice */
	double intr_s;	 /* irq and softirq */
	double kernel_s; /* system and steal */
	double iowait_s;
	struct tally sent;
	struct tally received;
	/* what this side did on behalf of the other, which took no part: READ, atomics */
	struct tally peer_sent;
	struct tally peer_received;
	uint32_t max_cqes; /* the most completions of one poll */

	/* not in qperf 0.4.11 */
	bool has_details;
	double process_user_s; /* of this side's process alone */
	double process_kernel_s;
	uint64_t switches;  /* context switches of the process */
	double run_delay_s; /* it was ready to run, and had no CPU; 0: or the kernel does not say */
	/* bandwidth by time: messages that were sent, or arrived, behind it, and are in no bandwidth */
	uint64_t late_sent;
	uint64_t late_received;
	uint64_t lost;	      /* latency: messages that had no answer */
	double lost_s;	      /* latency: of elapsed_s, waited for them */
	uint8_t spins;	      /* 0 or 1 */
	uint8_t no_counter;   /* 0 or 1: no cycle counter of the CPU, but what clock.h has in its place */
	uint64_t retransmits; /* TCP segments */
	double rtt_s;	      /* TCP's smoothed round trip time; 0: none */
	uint64_t cwnd;	      /* TCP's congestion window, segments */
	uint64_t copied;      /* MSG_ZEROCOPY: sends that were copied all the same */
	char congestion[16];  /* TCP's algorithm; "": none */
	char how[32];	      /* "write", "sendmmsg of 64": the calls that carried the messages */
};

/* One side of the figures. */
struct node {
	double cpus_used; /* shares of one CPU, 2 for two busy ones; the whole machine's */
	double cpus_user;
	double cpus_intr;
	double cpus_kernel;
	double cpus_iowait;
	double cpu_s;
	struct tally sent;
	struct tally received;
	double sent_s; /* the time in which it was */
	double received_s;
};

struct figures {
	double latency_s;      /* 0: nothing came back */
	double rate;	       /* messages a second that were received */
	double send_bandwidth; /* bytes a second */
	double recv_bandwidth;
	double send_cost; /* CPU seconds of the machine for 10^9 bytes; 0: traffic went both ways */
	double recv_cost;
	uint64_t lost; /* latency: messages that had no answer; bandwidth: that were sent, and did not even come late */
	struct node local;
	struct node remote;
	struct account local_account;
	struct account remote_account;
	const struct latency *samples; /* of round trips or halves of them, in cycles; NULL: none */
	double sample_share;	       /* of a sample, that is a latency: 0.5 or 1 */
	/* latency: of the exchange that was open at the end, which is a sample; 0: none that stands out */
	double open_s;
	bool open_answered; /* it took that long; otherwise at least */
	bool partial;	    /* it was cut short */
	bool one_sided;	    /* of the local account alone */
};

/*
 * local is the client's account. Latency is the client's time over the messages that both received, so half of the
 * mean round trip, and the whole one where only the client receives (READ).
 */
void figures_compute(enum measure measure, const struct account *local, const struct account *remote,
		     struct figures *figures);
/*
 * The latency of a ping-pong whose messages may get lost: half of the mean of the round trips that were over, by the
 * account of the side that began them. What only the other one received was waited for in no time that counts.
 */
void figures_answered(bool local_asked, struct figures *figures);
/*
 * Of a side whose peer told nothing of what it counted. What only both know is 0: what arrived of what this side sent,
 * and what was lost. sample_share: of a round trip, as in struct figures.
 */
void figures_compute_own(enum measure measure, const struct account *local, double sample_share,
			 struct figures *figures);

#endif
