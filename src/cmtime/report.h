/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints to stdout and to the JSON file: for each test the table of this instance, and at the controller the table of
 * the whole cluster. Text, CSV and JSON use the same list of columns.
 */
#pragma once

#include <stdbool.h>

#include "cmtime/conn_stats.h"
#include "cmtime/frame.h"
#include "cmtime/members.h"
#include "cmtime/parameters.h"
#include "report/judge.h"
#include "report/results.h"
#include "util/device_identity.h"
#include "util/run_id.h"

/* The cluster, for the headings and the JSON document. */
struct cmtime_cluster {
	uint32_t rank, servers, clients;
	const char *local;		      /* this instance's address */
	const struct device_identity *device; /* this instance's; NULL: it has none */
	struct run_id run_id;
	const struct frame_peer *peers; /* all instances, by rank */
};

enum test_kind {
	TEST_QPS,
	TEST_SIMULATED_QPS,
	TEST_NO_QPS,
	TEST_SOCKETS,
};

/* Connections that were established in a part of a test. */
struct cmtime_interval {
	double begin, seconds; /* from the start of the test */
	uint64_t count;
	double rate; /* per second; NaN: it was cut short */
};

/* A client, of whose figures in a test the controller's limits are with --limit_peers. */
struct cmtime_client {
	char name[MEMBER_NAME_SIZE];
	double average;			    /* connections per second, as in the result */
	const struct latency *full_connect; /* NULL: it has delivered none */
};

/* The result of a test, of this instance or of the whole cluster, which is printed as rows. */
struct cmtime_result {
	enum test_kind kind;
	bool merged;	  /* of the whole cluster instead of this instance */
	bool in_text;	  /* the text has only one of the two; CSV and JSON have both */
	bool partial;	  /* the test was cut short */
	uint64_t planned; /* connections; classic cmtime divides by it */
	const struct conn_stats *stats;
	uint64_t start, over;	      /* cycles */
	double cpu_percent;	      /* of this machine, in the test; NaN: unknown, or of the cluster */
	struct series_result repeats; /* of the rates, if the test was repeated: stats has all of them; else count 0 */
	const struct cmtime_client *clients; /* merged, with --limit_peers: each of them; NULL: limits are for all */
	/* --- set by report.c --- */
	const char *test;     /* "simulated QPs" */
	const char *part;     /* of the cluster: "local", "total" */
	const char *time;     /* --timestamps: when the row was over */
	double average, peak; /* conn_rate_average() and conn_rate_peak() */
	bool is_flow;
	bool listens;			 /* results of a server */
	const struct step_stats *step;	 /* the row's, of stats */
	struct cmtime_interval interval; /* of the row; for cmtime_report_interval() set by the caller */
};

struct cmtime_report {
	const struct cmtime_params *params;
	struct cmtime_cluster cluster;
	struct results results;
	struct judge_intervals intervals; /* --limit_intervals */
	int counters_err;		  /* -errno: those of -W can be read no more; reported */
};

/* Keeps params. 0 or -errno, reported. */
int cmtime_report_open(struct cmtime_report *report, const struct cmtime_params *params);
/* To be called when all instances have joined; params then has the cluster's values. */
void cmtime_report_begin(struct cmtime_report *report, const struct cmtime_cluster *cluster);
/* A test begins: what counters count from here on belongs to its rows. 0 or -errno, reported. */
int cmtime_report_start(struct cmtime_report *report);
/*
 * Also reports which limits it misses: the controller's hold for the whole cluster. 0, or -errno if counters could
 * not be read or stdout not be written, now or before (reported).
 */
int cmtime_report_result(struct cmtime_report *report, struct cmtime_result *result);
/* An interval of this instance's test, before its result. result->over is its end. Returns as the former. */
int cmtime_report_interval(struct cmtime_report *report, struct cmtime_result *result);
/* After the last test; complete: it is that of the plan. */
void cmtime_report_sum_up(struct cmtime_report *report, bool complete);
/* Frees all. 0, or -errno if stdout or the file could not be written (reported). */
int cmtime_report_close(struct cmtime_report *report, const char *status, const char *reason);
