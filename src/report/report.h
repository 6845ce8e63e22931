/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Everything that reaches stdout and the JSON file. session hands over plain structs in SI units;
 * the columns (heading, unit, width, JSON key) are one table in columns.c, from which text, CSV
 * and JSON are made.
 *
 *   report_waiting()   on a server, before there is anything to report
 *   report_open()      remembers what to print; creates the JSON file under a temporary name, so that a
 *                      place that can't be written is known before the test
 *   report_header()    the block of lines about the run
 *   report_endpoint()  the address lines; or report_frames()
 *   report_heading()   the column heads
 *   report_result()    one row: a message size, or an interval
 *   report_close()     the closing rule; the JSON file takes its name, whole (or not at all)
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/progress.h"
#include "report/report_config.h"
#include "report/row.h"
#include "util/endpoint.h"

struct report; /* owns the JSON document while it grows */

void report_waiting(const struct report_config *config); /* "Waiting for client to connect..." box */
/*
 * Before a peer is met: can the files be written and the counters of that device be read? device NULL: it is not known
 * yet. 0 or -errno, reported.
 */
int report_check(const struct report_config *config, const char *device, unsigned port);
/*
 * A server's document of its n-th client, from 1: "run.json" in config becomes "run.1.json", so that each stays. What
 * is no regular file (a pipe) keeps its name. 0, or -ENAMETOOLONG, reported.
 */
int report_number_file(struct report_config *config, unsigned n);
/* config is kept and read until report_free(). 0 or -errno, reported. */
int report_open(struct report **report, const struct report_config *config);
/* 0, or -errno when stdout takes nothing more (reported, once for the whole report). */
int report_header(struct report *report, const struct report_info *run_info);
void report_endpoint(struct report *report, bool local, const struct endpoint *endpoint);
/* Raw Ethernet: what a queue pair sends, or what comes to it. */
void report_frames(struct report *report, bool sent, const char *text);
void report_heading(struct report *report);
/* As report_header(); or the -errno of a counter that went away. */
int report_result(struct report *report, const struct report_row *row, enum report_part part);
/* --data_validation: after the last row. validation is kept and read until report_free(). */
void report_validation(struct report *report, const struct report_validation *validation);
/* Progress of a long run, on stderr, when that is a terminal. */
void report_progress(struct report *report, const struct progress_state *state);
/*
 * status ("complete", "below limit", "above limit", "interrupted" or "failed") and reason (NULL or "": none) go into
 * the JSON document; prints the closing rule. 0, or -errno when stdout or the JSON file could not be written
 * (reported).
 */
int report_close(struct report *report, const char *status, const char *reason);
void report_free(struct report *report);

/* --- what is read around a run --- */
/*
 * -W: remembers the counters' values now; report_result() prints the differences since, an interval's
 * since the row before it. 0 or -errno, reported.
 */
int report_counters_start(struct report *report, const char *device, unsigned port);
/* Dual port: adds those of the second port. After report_counters_start(). */
int report_counters_join(struct report *report, const char *device, unsigned port);
/* The differences of the next row are since now. As report_result(). */
int report_counters_mark(struct report *report);
/* --cpu_util: machine-wide busy share, all of user, nice, system, irq, softirq and steal, since the start. */
void report_cpu_start(struct report *report);
double report_cpu_percent(const struct report *report);
/* Since the last call of this one, or report_cpu_start(). */
double report_cpu_interval(struct report *report);

#endif
