/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Everything that is written to stdout and the JSON file. session passes plain structs in SI units; the columns
 * (heading, unit, width, JSON key) are one table in columns.c, from which text, CSV and JSON are made.
 *
 *   report_waiting()   on a server, before there is anything to report
 *   report_open()      records what to print; creates the JSON file under a temporary name, so that a
 *                      file that cannot be written is reported before the test
 *   report_header()    the lines about the run
 *   report_endpoint()  the address lines; or report_frames()
 *   report_heading()   the column headings
 *   report_result()    one row: a message size, or an interval
 *   report_close()     the closing rule; the JSON file appears, complete (or not at all)
 */
#pragma once

#include <stdbool.h>

#include "report/progress.h"
#include "report/report_config.h"
#include "report/row.h"
#include "util/endpoint.h"

struct cpu_use;
struct results;
struct report; /* owns the JSON document while it is written */

void report_waiting(const struct report_config *config); /* the "Waiting for client to connect..." box */
/*
 * --out_json_file: awaits the reader of a FIFO before a peer is met, which waits no longer than its --timeout. 0 or
 * -errno, reported but for -EINTR.
 */
int report_await_reader(const struct report_config *config);
/*
 * Before a peer is connected: can the files be written and the counters of that device be read? device NULL: not known
 * yet. 0 or -errno, reported.
 */
int report_check(const struct report_config *config, const char *device, unsigned port);
/*
 * The document of a server's n-th client, from 1: "run.json" in config becomes "run.1.json", so that each is kept.
 * Anything but a regular file (a pipe) keeps its name. 0, or -ENAMETOOLONG, reported.
 */
int report_number_file(struct report_config *config, unsigned n);
/* config must stay valid until report_free(). 0 or -errno, reported. */
int report_open(struct report **report, const struct report_config *config);
/* 0, or -errno if stdout cannot be written (reported once for the whole report). */
int report_header(struct report *report, const struct report_info *run_info);
void report_endpoint(struct report *report, bool local, const struct endpoint *endpoint);
/* Raw Ethernet: what a queue pair sends, or receives. */
void report_frames(struct report *report, bool sent, const char *text);
void report_heading(struct report *report);
/* Returns what report_header() does; or the -errno of a counter that disappeared. */
int report_result(struct report *report, const struct report_row *row, enum report_part part);
/* For judge.h, and --explain. */
struct results *report_results(struct report *report);
/* --data_validation: after the last row. validation must stay valid until report_free(). */
void report_validation(struct report *report, const struct report_validation *validation);
/* Progress of a long run, on stderr, if that is a terminal. */
void report_progress(struct report *report, const struct progress_state *state);
/*
 * status ("complete", "interrupted" or "failed") and reason (NULL or "": none), as for envelope_end(), go into
 * the JSON document; prints the closing rule. 0, or -errno if stdout or the JSON file could not be written (reported).
 */
int report_close(struct report *report, const char *status, const char *reason);
void report_free(struct report *report);

/* --- counters and CPU time --- */
/*
 * -W: records the counters' values now; report_result() prints the differences since then, for an interval since the
 * previous row. Dual port: called again, it adds those of the second port. 0 or -errno, reported.
 */
int report_counters_start(struct report *report, const char *device, unsigned port);
/* The next row's differences start now. Returns what report_result() does. */
int report_counters_mark(struct report *report);
/* --cpu_util */
struct cpu_use *report_cpu(struct report *report);
