/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a test hands to the report: its run_info, its rows and its verdict, in SI units. */
#ifndef REPORT_ROW_H
#define REPORT_ROW_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "stats/confidence.h"
#include "stats/latency.h"

/* The header's run_info; texts are copied. */
struct report_info {
	const char *device;	    /* "mlx5_0" */
	bool is_software;	    /* says so, and that the figures are this host's memory system */
	const char *transport_type; /* "IB", "IW", "Unknown" */
	const char *link_type;	    /* "Ethernet", "IB", "Unknown" */
	uint32_t mtu;		    /* bytes */
	int gid_index;		    /* -1 none */
	const char *second;	    /* "port 2 of mlx5_0", of dual port; NULL: there is none */
	int second_gid_index;	    /* of a second port; -1: none, or there is none */
	const char *gid;	    /* "::ffff:10.0.0.1"; NULL none */
	const char *gid_type;	    /* "RoCE v2"; NULL none */
	uint32_t inline_size;
	uint32_t outs;
	bool wr_api;
	const char *pcie_relaxed;  /* "ON", "OFF", "Unsupported", "Unknown" */
	double link_gbits;	   /* Gb/s; 0 unknown */
	unsigned link_lanes;	   /* 0 unknown */
	const char *driver;	   /* "mlx5_core"; NULL or "" unknown, as the following */
	const char *firmware;	   /* its version */
	const char *pci_address;   /* "0000:3b:00.0" */
	double pcie_rate;	   /* GT/s of a lane; 0 unknown */
	unsigned pcie_lanes;	   /* 0 unknown */
	const char *data_exchange; /* "Ethernet" */
	int numa_node;		   /* -1 unknown */
	bool clock_fallback;	   /* there is no cycle counter that can be trusted, or none was wanted */
	bool sends;		   /* TX depth is shown: on the side that posts first, with -b on both */
	bool receives;		   /* RX depth is shown: on the other one, with -b on both */
	bool lacks_peak;	   /* the figures are this side's own, and have no peak although it was asked for */
	uint64_t samples;	   /* of each latency row; 0 not known before, or there is none */
	const char *peer;	   /* "10.0.0.1:18515" or NULL */
	const char *peer_host;	   /* its host name, or NULL */
	const char *peer_version;
};

#define REPORT_NOT_KNOWN UINT64_MAX

/* Whose part of a bidirectional result. */
enum report_side { REPORT_OWN, REPORT_PEER };

/* Of a row that was measured several times. */
struct report_repeats {
	unsigned count;		      /* measurements in the row; 0: it is of one, which was not repeated */
	unsigned left_out;	      /* those before them, of a warm-up */
	struct confidence confidence; /* of the average in bytes per second, or of the median in seconds */
	bool reached;		      /* --until */
};

static inline struct report_repeats report_repeats_of_one(void)
{
	return (struct report_repeats){.count = 1, .confidence = {NAN, NAN, NAN}};
}

/* Of an open loop. Counts are of requests that were due in the measured time. */
struct report_load {
	double share_percent; /* of the maximum that was measured first; 0: the load is no share */
	double rate;	      /* planned, messages per second */
	double sent_rate;     /* as they were posted, messages per second */
	uint64_t late;	      /* as many as may be were in flight when they were due */
	uint64_t lost;	      /* UC and UD: never answered, and no longer awaited */
	uint64_t unanswered;  /* awaited when the run ended */
	uint64_t unsent;      /* not even posted by then */
	bool stands_out;      /* one of these two is older than each sample that was answered */
};

struct report_row;

/* One of several peers that were measured at once. */
struct report_peer {
	const char *address;	      /* "10.0.0.1:43210", or where it should have been */
	const char *host;	      /* "" not known */
	uint64_t process;	      /* its number there; REPORT_NOT_KNOWN */
	const struct report_row *row; /* its own; NULL: it was lost */
	double begin_s;		      /* of its measured time, since the first of all began; NaN: not known */
};

/* Of a row that is of all of them. */
struct report_peers {
	unsigned count;	    /* that are in it */
	double least, most; /* of their averages in bytes per second, or of their medians in seconds */
	double fairness;    /* of the same: 1 where all are alike, 1 / count where one has all */
	double overlap;	    /* percent: in which all were measured, of the time from the first begin to the last end */
	const struct report_peer *list; /* also those that were lost */
	unsigned num_listed;
};

/* One row. A test fills the part of its metric. */
struct report_row {
	uint64_t size;		 /* bytes */
	uint64_t iterations;	 /* as the column says: messages of all queue pairs */
	double seconds;		 /* what the averages were taken over */
	bool partial;		 /* cut short; marked in every format */
	bool is_interval;	 /* of --report_interval or --run_infinitely */
	double interval_begin_s; /* since the start of the run; intervals only */
	uint64_t end_cycles;	 /* when it ended; 0: now */
	struct timespec over;	 /* the same by CLOCK_REALTIME; report_result() sets it */

	/* bandwidth */
	uint8_t sl;		 /* service level, where it has a column */
	double bw_peak;		 /* bytes per second; 0 not measured */
	double bw_average;	 /* bytes per second */
	double message_rate;	 /* messages per second */
	uint64_t lost;		 /* UC and UD: sent but never received; REPORT_NOT_KNOWN: not known here */
	uint64_t first_arrivals; /* a receiver's, of iterations: those that are in no average */
	struct report_port {
		double bw_average;   /* bytes per second; NaN: not known here */
		double message_rate; /* messages per second */
	} ports[2];		     /* --report-per-port: of these averages, what was each port's */
	const uint64_t *by_queue;    /* --use_rss: of iterations, what came to each of num_qps; NULL: not known */
	uint64_t iterations_of[2]; /* -b: of iterations, those of this side and of the peer; the row of the sum has them
				    */

	/* --data_validation, both directions together */
	uint64_t checked; /* messages, in full */
	uint64_t wrong;	  /* messages */

	double removal_seconds; /* steering rules: what taking back took; `seconds` is what making them took */

	const struct latency *latency; /* in ticks; NULL: of a bandwidth test. Of an open loop: since they were due */
	const struct latency *since_post; /* of an open loop: the same samples from their posts; otherwise NULL */
	struct report_load load;	  /* of an open loop; otherwise zeros */
	double tick_seconds; /* of what the columns show: half of a cycle, where that is half a round trip */
	double open_seconds; /* of the exchange that was open when the measured time ended; 0: none worth a word */
	bool open_answered;  /* it was answered later; otherwise it would have taken longer still */

	double cpu_percent; /* < 0: not asked for, or not known */

	unsigned thread; /* of --threads, from 1; 0: of all */
	int cpu;	 /* on which that is; < 0: the kernel chooses */

	struct report_repeats repeats;
	const struct report_peers *peers; /* of a row of all of them; otherwise NULL */
};

/* The row of the i-th peer alone. False: that was lost. */
static inline bool report_peer_alone(const struct report_row *row, unsigned i, struct report_row *alone)
{
	const struct report_row *own = row->peers->list[i].row;

	if (!own)
		return false;
	*alone = *own;
	alone->over = row->over;
	return true;
}

/* --data_validation: what became of all messages of a run, in both directions. */
struct report_validation {
	uint64_t messages; /* sent */
	uint64_t checked;  /* of them, in full */
	uint64_t bytes;	   /* of those */
	uint64_t lost;	   /* UC and UD */
	uint64_t wrong;	   /* messages */
	uint32_t qp;	   /* of the first wrong one: index of the queue pair, number of the message, first byte */
	uint64_t message;
	uint64_t offset;
};

/*
 * Which part of a result a row is: of a bidirectional one a direction, a thread's of this side's, of several peers' one
 * of them.
 */
enum report_part { REPORT_TOTAL, REPORT_LOCAL, REPORT_REMOTE, REPORT_THREAD, REPORT_PEER_ALONE };

#endif
