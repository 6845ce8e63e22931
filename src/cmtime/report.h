/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints to stdout and to the JSON file: for each test the table of this instance, and at the controller the table of
 * the whole cluster. Text, CSV and JSON use the same list of columns.
 */
#pragma once

#include <stdbool.h>

#include "cmtime/columns.h"
#include "cmtime/parameters.h"
#include "report/results.h"
#include "util/run_id.h"

/* The cluster, for the headings and the JSON document. */
struct cmtime_cluster {
	uint32_t rank, servers, clients;
	const char *local; /* this instance's address */
	struct run_id run_id;
};

struct cmtime_report {
	const struct cmtime_params *params;
	struct cmtime_cluster cluster;
	struct results results;
};

/* Keeps params. 0 or -errno, reported. */
int cmtime_report_open(struct cmtime_report *report, const struct cmtime_params *params);
/* To be called when all instances have joined; params then has the cluster's values. */
void cmtime_report_begin(struct cmtime_report *report, const struct cmtime_cluster *cluster);
/* 0, or -errno if stdout could not be written, now or before (reported). */
int cmtime_report_result(struct cmtime_report *report, struct cmtime_result *result);
/* Frees all. 0, or -errno if stdout or the file could not be written (reported). */
int cmtime_report_close(struct cmtime_report *report, const char *status, const char *reason);
