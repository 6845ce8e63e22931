/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What both sides counted, and the results computed from it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "qperf/options/parameters.h"
#include "qperf/options/tests.h"

struct latency;

/* Only complete messages. */
struct tally {
	uint64_t bytes;
	uint64_t msgs;
	uint64_t errors; /* system calls that failed, without ending the test */
};

/* What one side has counted in a test. */
struct account {
	double elapsed_s; /* from the start of the loop to its end, by the cycle counter */
	/* of the whole machine during the test: all CPUs and processes, from /proc/stat */
	uint32_t cpus;
	double user_s;	 /* user and nice */
	double intr_s;	 /* irq and softirq */
	double kernel_s; /* system and steal */
	double iowait_s;
	struct tally sent;
	struct tally received;
	/* what this side did for the other, passive one: READ, atomics */
	struct tally peer_sent;
	struct tally peer_received;
	uint32_t max_cqes; /* the most completions returned by one poll */

	/* not in qperf 0.4.11 */
	bool has_details;
	double process_user_s; /* of this side's process only */
	double process_kernel_s;
	uint64_t switches;  /* context switches of the process */
	double run_delay_s; /* time during which it was ready to run but had no CPU; 0: none, or unknown */
	/* bandwidth with a duration: messages sent or received after it, which are not part of the bandwidth */
	uint64_t late_sent;
	uint64_t late_received;
	/* latency: samples; those of RDMA without the first exchange, which shows when the peer became ready */
	uint64_t sampled;
	double sampled_s;     /* the sum of them, without waits for lost messages */
	uint64_t lost;	      /* latency: unanswered messages */
	double lost_s;	      /* latency: time spent waiting for them, included in elapsed_s */
	uint8_t spins;	      /* 0 or 1 */
	uint8_t no_counter;   /* 0 or 1: not a cycle counter of the CPU, but clock.h's fallback */
	uint64_t retransmits; /* TCP segments */
	double rtt_s;	      /* TCP's smoothed round trip time; 0: unknown */
	uint64_t cwnd;	      /* TCP's congestion window, segments */
	uint64_t copied;      /* MSG_ZEROCOPY: sends that were copied nevertheless */
	char congestion[16];  /* TCP's algorithm; "": none */
	char how[32];	      /* the calls that transferred the messages: "write", "sendmmsg of 64" */
};

/* One side of the results. */
struct node {
	double cpus_used; /* in CPUs, 2 for two busy ones; of the whole machine */
	double cpus_user;
	double cpus_intr;
	double cpus_kernel;
	double cpus_iowait;
	double cpu_s;
	struct tally sent;
	struct tally received;
	double sent_s; /* the time that `sent` refers to */
	double received_s;
};

struct figures {
	double latency_s;      /* 0: nothing was answered */
	double rate;	       /* received messages per second */
	double send_bandwidth; /* bytes per second */
	double recv_bandwidth;
	double send_cost; /* CPU seconds of the machine per 10^9 bytes; 0: traffic in both directions */
	double recv_cost;
	uint64_t lost; /* latency: unanswered messages; bandwidth: messages that did not arrive, not even late */
	struct node local;
	struct node remote;
	struct account local_account;
	struct account remote_account;
	const struct latency *samples; /* of round trips, or halves of them; NULL: none */
	double sample_share;	       /* latency as a share of a sample: 0.5 or 1 */
	/*
	 * latency: duration of the exchange that was open at the end, if it is conspicuous; included in samples; 0:
	 * none
	 */
	double open_s;
	bool open_answered;   /* it took that long; otherwise at least that */
	bool partial;	      /* the test was cut short */
	bool one_sided;	      /* only from the local account */
	double cpu_percent;   /* --cpu_util: of this side's host; NaN: unknown, or not asked for */
	uint64_t over_cycles; /* when it was over; 0: as it is reported */
};

/* What this side alone has measured in an interval. */
struct qperf_interval {
	double begin_s, end_s; /* since the loop began */
	uint64_t over_cycles;
	double value;	    /* what the test measures; a latency: 0: no answer arrived */
	double rate;	    /* messages per second */
	double cpu_percent; /* as in struct figures */
	bool sends;	    /* this side does; matters if the test has two bandwidths */
};

/* What several runs of a test have in common: the mean of their results. size: of a message. */
void figures_of_mean(enum measure measure, double mean, uint64_t size, struct figures *figures);

/*
 * --- claim.c: can the account that the other side sent be true, by what this side has sent and by its own clock? ---
 *
 * Most figures are computed from both, so that a server with a fault must not become a figure. Only what cannot be true
 * is refused: counts of both sides differ by what is in flight, and clocks by what they are worth.
 */

/* Who sees the messages: with READ and atomics only the side that requests them, which also counts for the other. */
enum qperf_active { QPERF_BOTH, QPERF_OWN_ALONE, QPERF_PEER_ALONE };

/* What this side knows. */
struct qperf_witness {
	double since_s;	  /* since this side was ready: the other's time has begun after that */
	double elapsed_s; /* of this side's own account */
	uint64_t sent;	  /* messages of this side, also those in flight */
	uint64_t size;	  /* bytes of a message */
	enum qperf_active active;
	bool ping_pong;	    /* one message is in flight at a time */
	bool may_duplicate; /* the network may deliver a message twice */
};

/* NULL, or what cannot be true. */
const char *qperf_claim_account(const struct qperf_witness *witness, const struct account *peer);

/* Percentiles that are shown of a distribution. */
#define FIGURES_PERCENTILES 4
extern const double figures_percentiles[FIGURES_PERCENTILES];

/* NaN: there are too few samples for it, or none. */
double figures_percentile_s(const struct figures *figures, double percent);

/*
 * local is the client's account. A latency is the mean of its samples, or of the server's if it has none; sample_share:
 * of a round trip, as in struct figures.
 */
void figures_compute(enum measure measure, const struct account *local, const struct account *remote,
		     double sample_share, struct figures *figures);
/*
 * For one side, without the peer's account. What only both know is 0: how much of what this side sent has arrived, and
 * how much was lost.
 */
void figures_compute_own(enum measure measure, const struct account *local, double sample_share,
			 struct figures *figures);
