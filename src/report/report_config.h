/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a report is about, and what it shows: plain values, which know neither options nor programs. The options of the
 * ib_* programs are stored straight into them (params/rows/rows_*.h), and params derives what follows from several. The
 * owner keeps them, and what they point to, until report_free().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "traffic/payload_limit.h"
#include "traffic/traffic.h"
#include "util/output.h"
#include "verbs/verbs_config.h"

struct opt_table; /* params/engine/opt.h */

#define REPORT_PATH_SIZE       256
#define REPORT_MAX_PERCENTILES 32

struct report_config {
	/* --- what it is about; known when the report is opened --- */
	const struct traffic_spec *spec;
	const struct verbs_config *verbs;
	/* what a bandwidth is compared with: filled in before the first row; NULL: nothing */
	const struct payload_path *path;
	/* All options that say something about the test, for the JSON document: the rows of these programs. */
	const struct opt_table *options;
	unsigned programs;
	const void *values;

	/* --- derived from several options --- */
	const char *program; /* "ib_write_bw" */
	bool is_client;
	bool intervals;			  /* there is a row for each part of the run, too */
	bool load_steps;		  /* ... at several loads, which are shares of a maximum */
	bool repeats;			  /* each row is of several measurements */
	bool until;			  /* ... as many as needed */
	bool steady;			  /* ... without those of a warm-up */
	bool peers;			  /* each row is of several peers at once */
	uint32_t poll_batch;		  /* completions per poll; 0: the loop chooses */
	char json_path[REPORT_PATH_SIZE]; /* of the document; "" none */
	bool each_alone;		  /* threads have rows of their own in text and CSV too, and peers in text */
	bool thread_table;		  /* in text: the rows are those of threads, */
	bool receiver_table;		  /* ... or of the receivers of one multicast sender */
	bool is_part;			  /* of another process's report: no progress is shown */

	/* --- options: what is shown --- */
	enum output_format format;	      /* --output_format */
	enum output_only output;	      /* --output: one figure of a text, or all */
	bool out_json;			      /* --out_json, or --out_json_file */
	char out_json_file[REPORT_PATH_SIZE]; /* --out_json_file */
	char labels[OUTPUT_LABELS_SIZE];      /* --label, for the document: lines KEY=VALUE; "" none */
	bool verbose;			      /* --verbose: every endpoint also on a terminal */
	bool both;			      /* --report-both */
	bool gbits;			      /* --report_gbits: rather than MiB/s */
	bool cycles;			      /* -C: rather than microseconds */
	bool histogram;			      /* -H: all samples, sorted */
	bool unsorted;			      /* -U: all samples, in order of time */
	bool cpu_util;			      /* --cpu_util */
	bool possible;	 /* --report_possible: the share of the possible bandwidth, also if stdout is no terminal */
	bool timestamps; /* --timestamps: a row's time of day */
	double percentiles[REPORT_MAX_PERCENTILES]; /* --percentiles, in percent, ascending */
	unsigned num_percentiles;		    /* 0: 99 and 99.9 only */
	char counters[512]; /* -W: comma separated files below the port's sysfs folder; "" none */
};

/* Of a side; XRC may have two for each of -q. */
static inline unsigned report_endpoints(const struct report_config *config)
{
	return config->verbs->num_qps << config->verbs->traffic.splits;
}
