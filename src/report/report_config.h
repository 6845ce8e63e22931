/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a report is of, and what of it is shown. Plain values, which the caller fills from its options before a report
 * is opened; texts and arrays stay its own until report_free().
 */
#ifndef REPORT_REPORT_CONFIG_H
#define REPORT_REPORT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

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
	bool with_imm;		      /* messages bring immediate data */
	bool bidirectional;
	bool by_time; /* time, or the user, ends the run */
	bool data_validation;
	bool rdma_cm;	      /* connects the queue pairs */
	int tos;	      /* ... with this traffic class; < 0: its default */
	uint32_t num_qps;     /* endpoints of a side; XRC can have two for each of -q */
	bool shares_receives; /* in a shared receive queue (SRQ) */
	uint32_t tx_depth;
	uint32_t rx_depth;
	uint32_t post_list;	 /* 1: none */
	uint32_t recv_post_list; /* 1: none */
	uint32_t cq_mod;
	uint32_t poll_batch; /* completions asked for at once; 0: the loop chooses */
	bool events;
	uint32_t comp_vector; /* with events */

	/* Every option that says something about the test, for the JSON document: the rows of these programs. */
	const struct opt_table *options;
	unsigned programs;
	const void *values;

	/* --- what is shown --- */
	enum output_format format;
	enum output_only output;	  /* one figure of a text, or all */
	char json_path[REPORT_PATH_SIZE]; /* of the document; "" none */
	bool every_endpoint;		  /* at a terminal, too */
	bool gbits;			  /* rather than MiB/s */
	bool cycles;			  /* rather than microseconds */
	bool histogram;			  /* every sample, sorted */
	bool unsorted;			  /* every sample, in time order */
	bool cpu_util;
	bool timestamps;
	const double *percentiles; /* in percent, ascending */
	unsigned num_percentiles;  /* 0: 99 and 99.9 only */
	const char *counters;	   /* comma separated files below the port's sysfs folder; "" none */
};

#endif
