/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What reaches stdout and the JSON file: of each test this instance's table, and at the controller the
 * table of the whole cluster. Text, CSV or JSON from one list of columns.
 */
#ifndef CMTIME_REPORT_H
#define CMTIME_REPORT_H

#include <stdbool.h>

#include "cmtime/parameters.h"
#include "cmtime/result.h"

struct cmtime_report;

/* Who is in the cluster, for the headings and the document. */
struct cmtime_cluster {
	uint32_t rank, servers, clients;
	const char *local; /* this instance's address */
};

/* params is kept. 0 or -errno, reported. */
int cmtime_report_open(struct cmtime_report **report, const struct cmtime_params *params);
/* What is known once the instances have met; params are then the cluster's. */
void cmtime_report_begin(struct cmtime_report *report, const struct cmtime_cluster *cluster);
void cmtime_report_result(struct cmtime_report *report, const struct cmtime_result *result);
/* 0, or -errno when stdout or the file could not be written (reported). */
int cmtime_report_close(struct cmtime_report *report, const char *status, const char *reason);
void cmtime_report_free(struct cmtime_report *report); /* takes NULL */

#endif
