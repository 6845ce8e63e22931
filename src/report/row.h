/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a test passes to the report: its run_info, its rows and its result, in SI units. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "stats/latency.h"
#include "stats/series.h"
#include "util/device_identity.h"
#include "util/run_id.h"

/* For the header; texts are copied. */
struct report_info {
	struct device_identity device;
	const char *software_measures; /* for the header: what the figures of soft0 are those of; NULL: an adapter */
	const char *transport_type;    /* "IB", "IW", "Unknown" */
	const char *link_type;	       /* "Ethernet", "IB", "Unknown" */
	uint32_t mtu;		       /* bytes */
	int gid_index;		       /* -1 none */
	const char *second;	       /* "port 2 of mlx5_0", with dual port; NULL: none */
	int second_gid_index;	       /* of a second port; -1: none */
	const char *gid;	       /* "::ffff:10.0.0.1"; NULL none */
	const char *gid_type;	       /* "RoCE v2"; NULL none */
	uint32_t inline_size;
	uint32_t outs;
	bool wr_api;
	const char *pcie_relaxed;  /* "ON", "OFF", "Unsupported", "Unknown" */
	const char *memory_way;	   /* how the buffers were registered: "address", "dmabuf" */
	uint64_t memory_bytes;	   /* of all regions */
	const char *gpu;	   /* whose memory it is: "0", "0000:3b:00.0"; NULL: no GPU's */
	const void *rocm_buffer;   /* the line of linux-rdma perftest about this buffer is printed; NULL: none */
	const char *data_exchange; /* "Ethernet" */
	bool clock_fallback;	   /* there is no reliable cycle counter, or the user did not want it */
	double clock_step_ns;	   /* between two values of the counter */
	bool sends;		   /* TX depth is shown: on the side that posts first, with -b on both */
	bool receives;		   /* RX depth is shown: on the other side, with -b on both */
	bool lacks_peak;	   /* the figures are this side's own, without the requested peak */
	uint64_t samples;	   /* per latency row; 0 unknown before the test, or none */
	struct run_id run_id;	   /* of both sides; none: the peer is of another suite */
	const char *peer;	   /* "10.0.0.1:18515" or NULL */
	const char *peer_host;	   /* its host name, or NULL */
	const char *peer_version;
	const char *peer_provenance;		/* provenance_write() there, as it came; NULL or "": unknown */
	const struct report_info *const *pairs; /* of several pairs, measured at once; NULL: this is of one */
	unsigned num_pairs;
};

#define REPORT_NOT_KNOWN UINT64_MAX

/* The sides of a bidirectional result. */
enum report_side { REPORT_OWN, REPORT_PEER };

/* Of counts that may be REPORT_NOT_KNOWN. */
static inline uint64_t report_add_known(uint64_t one, uint64_t other)
{
	return one == REPORT_NOT_KNOWN || other == REPORT_NOT_KNOWN ? REPORT_NOT_KNOWN : one + other;
}

/* Of an open loop. Counts are of requests that were due in the measured time. */
struct report_load {
	double share_percent; /* of the maximum that was measured first; 0: the load is not a share */
	double rate;	      /* planned, messages per second */
	double sent_rate;     /* as posted, messages per second */
	uint64_t late;	      /* the maximum number was in flight when they were due */
	uint64_t lost;	      /* UC and UD: not answered, and no longer awaited */
	uint64_t unanswered;  /* awaited when the run ended */
	uint64_t unsent;      /* not posted by then */
	bool stands_out;      /* one of these two is older than the longest sample */
};

/* Of what was measured at once, if it is known. */
struct report_overlap {
	bool known;
	double percent; /* the time in which all were measured, of that from the first start to the last end */
	double error_s; /* each start and end may be so much earlier or later */
};

/* The worst interval: in which the least moved, or with the largest median. */
struct report_worst {
	bool known;
	double value;	/* bytes per second, or seconds */
	double begin_s; /* since the start of the run */
	double end_s;
};

struct report_row;

/* One of several peers that were measured at once. */
struct report_peer {
	const char *address;	      /* "10.0.0.1:43210", or the address that was tried */
	const char *host;	      /* "" unknown */
	uint64_t process;	      /* its number there; REPORT_NOT_KNOWN */
	const struct report_row *row; /* its own; NULL: it was lost */
	double begin_s;		      /* start of its measured time, since the first of all; NaN: unknown */
};

/* For a row of all of them. */
struct report_peers {
	unsigned count;			/* in the row */
	double least, most;		/* of their averages in bytes per second, or of their medians in seconds */
	double fairness;		/* of the same: 1 if all are equal, 1 / count if one has everything */
	const struct report_peer *list; /* including those lost */
	unsigned num_listed;
};

/* A row. A test fills in the fields of its metric. */
struct report_row {
	uint64_t size;		 /* bytes */
	uint64_t iterations;	 /* as in the column: messages of all queue pairs */
	double seconds;		 /* the time of the averages */
	bool partial;		 /* cut short; marked in every format */
	bool is_interval;	 /* of --report_interval or --run_infinitely */
	double interval_begin_s; /* since the start of the run; intervals only */
	uint64_t end_cycles;	 /* when it ended; 0: now */
	struct timespec over;	 /* the same by CLOCK_REALTIME; report_result() sets it */

	/* bandwidth */
	uint8_t sl;		 /* service level, if it has a column */
	double bw_peak;		 /* bytes per second; 0 not measured */
	double bw_average;	 /* bytes per second */
	double message_rate;	 /* messages per second */
	double copied;		 /* bytes per second that memcpy() moves on one CPU; 0: not measured */
	uint64_t lost;		 /* UC and UD: sent but not received; REPORT_NOT_KNOWN: unknown here */
	uint64_t first_arrivals; /* on a receiver, of iterations: those in no average; REPORT_NOT_KNOWN */
	struct report_port {
		double bw_average;     /* bytes per second; NaN: unknown here */
		double message_rate;   /* messages per second */
	} ports[2];		       /* --report-per-port: each port's part of these averages */
	struct report_overlap overlap; /* of several peers */
	struct report_worst worst;     /* of a whole run's intervals */
	const uint64_t *by_queue;      /* --use_rss: of iterations, arrivals of each of num_qps; NULL: unknown */
	uint64_t iterations_of[2]; /* -b: of iterations, those of this side and of the peer; in the row of the sum */

	/* --data_validation, both directions together */
	uint64_t checked; /* messages, in full */
	uint64_t wrong;	  /* messages */

	double removal_seconds; /* steering rules: time of destroying them; `seconds` is that of creating them */

	/* figures are in seconds, of half round trips if the columns show those */
	const struct latency *latency;	  /* NULL: bandwidth. In an open loop: since they were due */
	const struct latency *since_post; /* in an open loop: the same samples since their posts; otherwise NULL */
	struct report_load load;	  /* of an open loop; otherwise zero */
	/* age of the exchange that was open when the measured time ended; 0: not worth reporting */
	double open_seconds;
	bool open_answered; /* it was answered later; otherwise its time would be longer */

	double cpu_percent; /* NaN: not requested, or unknown */

	unsigned thread; /* of --threads, from 1; 0: of all */
	int cpu;	 /* on which it runs; < 0: the kernel chooses */

	/* of the average in bytes per second, or of the median in seconds; count 0: it was not repeated */
	struct series_result repeats;
	const struct report_peers *peers; /* of a row of all of them; otherwise NULL */
};

/* The row of only the i-th peer. False: it was lost. */
static inline bool report_peer_alone(const struct report_row *row, unsigned i, struct report_row *alone)
{
	const struct report_row *own = row->peers->list[i].row;

	if (!own)
		return false;
	*alone = *own;
	alone->over = row->over;
	return true;
}

/* The words of JSON and CSV. */
static inline const char *row_kind_name(const struct report_row *row)
{
	return row->is_interval ? "interval" : "result";
}

/* --data_validation: the result for all messages of a run, in both directions. */
struct report_validation {
	uint64_t messages; /* sent */
	uint64_t checked;  /* of these, checked in full */
	uint64_t bytes;	   /* of those */
	uint64_t lost;	   /* UC and UD */
	uint64_t wrong;	   /* messages */
	uint32_t qp;	   /* of the first wrong one: index of the queue pair, number of the message, first byte */
	uint64_t message;
	uint64_t offset;
};

/* Which part of a result a row is: with -b a direction; a thread's of this side's; with several peers one of them. */
enum report_part { REPORT_TOTAL, REPORT_LOCAL, REPORT_REMOTE, REPORT_THREAD, REPORT_PEER_ALONE };

static inline const char *row_part_name(enum report_part part)
{
	static const char *const names[] = {"total", "local", "remote", "thread", "peer"};

	return names[part];
}
