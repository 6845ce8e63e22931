/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a report is about, and what it shows. Plain values, which the caller fills in from its options before it opens a
 * report; the caller owns texts and arrays, which must stay valid until report_free().
 */
#ifndef REPORT_REPORT_CONFIG_H
#define REPORT_REPORT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "traffic/payload_limit.h"
#include "traffic/traffic.h"
#include "util/output.h"

struct opt_table; /* params/opt.h */

#define REPORT_PATH_SIZE 256

struct report_config {
	/* --- the test --- */
	const char *program; /* "ib_write_bw" */
	bool is_client;
	enum verb verb;
	enum metric metric;
	enum transport transport;
	enum atomic_type atomic_type; /* VERB_ATOMIC */
	bool with_imm;		      /* messages carry immediate data */
	bool bidirectional;
	uint32_t num_threads; /* that drive this side's queue pairs */
	bool mcast;	      /* messages go to a multicast group */
	bool has_sl;	      /* the service level has a column */
	bool bursts;	      /* only some of the messages are answered */
	bool by_time;	      /* time, or the user, ends the run */
	bool open_loop;	      /* METRIC_LAT: requests are sent on schedule, and samples have two latencies */
	bool intervals;	      /* there is a row for each part of the run, too */
	bool load_steps;      /* ... at several loads, which are shares of a maximum */
	bool dual_port;	      /* the queue pairs use two ports */
	bool per_port;	      /* rows have the part of each port */
	bool data_validation;
	bool repeats;	      /* each row is of several measurements */
	bool until;	      /* ... as many as needed */
	bool steady;	      /* ... without those of a warm-up */
	bool peers;	      /* each row is of several peers at once */
	bool rdma_cm;	      /* connects the queue pairs */
	int tos;	      /* ... with this traffic class; < 0: its default */
	uint32_t num_qps;     /* endpoints per side; XRC may have two for each of -q */
	bool shares_receives; /* in a shared receive queue (SRQ) */
	bool spreads;	      /* ... are work queues of one queue pair (RSS), each counted */
	uint32_t tx_depth;
	uint32_t rx_depth;
	uint32_t post_list;	 /* 1: none */
	uint32_t recv_post_list; /* 1: none */
	uint32_t cq_mod;
	uint32_t poll_batch; /* completions per poll; 0: the loop chooses */
	bool events;
	uint32_t comp_vector; /* with events */
	bool out_of_order;    /* receives are consumed in any order */
	bool no_lock;	      /* the queues are used without locks */
	/* what a bandwidth is compared with: filled in before the first row; NULL: nothing */
	const struct payload_path *path;

	/* All options that say something about the test, for the JSON document: the rows of these programs. */
	const struct opt_table *options;
	unsigned programs;
	const void *values;

	/* --- what is shown --- */
	enum output_format format;
	enum output_only output;	  /* one figure of a text, or all */
	char json_path[REPORT_PATH_SIZE]; /* of the document; "" none */
	const char *labels;		  /* of --label, for the document; "" none */
	bool every_endpoint;		  /* also on a terminal */
	bool each_alone;		  /* threads have rows of their own in text and CSV too, and peers in text */
	bool thread_table;		  /* in text: the rows are those of threads, */
	bool receiver_table;		  /* ... or of the receivers of one multicast sender */
	bool gbits;			  /* rather than MiB/s */
	bool cycles;			  /* rather than microseconds */
	bool histogram;			  /* all samples, sorted */
	bool unsorted;			  /* all samples, in order of time */
	bool cpu_util;
	bool possible; /* the share of the possible bandwidth, also if stdout is no terminal */
	bool timestamps;
	const double *percentiles; /* in percent, ascending */
	unsigned num_percentiles;  /* 0: 99 and 99.9 only */
	bool is_part;		   /* of another process's report: no progress is shown */
	const char *counters;	   /* comma separated files below the port's sysfs folder; "" none */
};

#endif
