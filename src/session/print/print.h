/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a test prints, besides the report layer. */
#pragma once

#include "params/programs.h"
#include "session/state.h"
#include "stats/spans.h"
#include "verbs/device/device.h"

struct repeats; /* session/measure/measurement.h */

/* --- run_info.c: the report of a test and its header. --- */

/* Once both sides have agreed. 0 or -errno, reported. */
int session_open_report(struct session *session);
int session_report_info(struct session *session);
/* For the peer's document, as provenance_write(). */
void session_write_provenance(const struct session *session, char *text, size_t size);

/* --- rows.c: a row from a run. --- */

/* Of the samples of a run, before a row is made of them. */
void session_set_units(const struct session *session, const struct run *run);
/* The row of a whole run. */
void session_row(const struct session *session, const struct run *run, struct report_row *row);
/* Adds up what rows have counted. */
void session_add_counts(struct report_row *sum, const struct report_row *row);
/* The peak of two directions' sum, given each one's messages; 0: one was not measured, or nothing moved. */
double session_add_peaks(double own, uint64_t own_messages, double peer, uint64_t peer_messages);
struct report_overlap session_overlap(const struct spans *spans, int64_t error_ns);
/* With -b: does it print the sum of both? Then its row of an interval is a part. */
bool session_prints_both(const struct session *session);

/* --- result.c: the rows that this side prints, and how the test ended. --- */

/*
 * The row of both directions of one measurement: the sum of their rates; if they hardly ran at the same time, what both
 * moved over the time from the first start to the last end, without a peak. results: what the sides reported, by enum
 * report_side.
 */
struct report_row session_sum_of_both(const struct session *session, const struct report_row *local,
				      const struct report_row *remote, const struct comm_result results[2]);
/* Warns if the parts of a row hardly ran together, or if it is not known well. */
void session_warn_of_overlap(const struct session *session, const struct report_row *row, const char *parts,
			     const char *clocks);
/* Does it print its own figures rather than the peer's? */
bool session_prints_own(const struct session *session);
/* Prints this side's rows for one size. The rows are complete; total: the sum of both. 0 or -errno, reported. */
int session_print_rows(struct session *session, const struct report_row *local, const struct report_row *remote,
		       const struct report_row *total);
/* After a loop has failed: prints what was measured until then, if anything, marked as partial. */
void session_print_partial(struct session *session, const struct run *run);

/* --- verbose.c: --verbose. --- */

/* With --verbose: prints what is settled once the queue pairs are connected. */
void session_print_choices(const struct session *session);
/* ... and the result of the last of several measurements of a size. */
void session_report_repeat(const struct session *session, const struct repeats *repeats, uint64_t size);

/*
 * --- explanation.c ---
 *
 * --explain: what this side and its peer saw while the test ran, and what that says about its figures.
 */

/* Once the queue pairs are connected. 0 or -errno, reported. Without --explain the three do nothing. */
int session_begin_explanation(struct session *session);
/* Of a row that is printed: the last one is that of the largest size. */
void session_explain_row(struct session *session, const struct report_row *row);
/* After the last row: asks the peer, and gives the report what was found. 0 or -errno, reported. */
int session_end_explanation(struct session *session);

/* result.c, for life_conclude(): ends the report, if there is one. own: the session. */
int session_close_report(void *own, const char *status, const char *reason);

/* --- memory_list.c: --memory=list: the kinds of memory that can be used here, and why others cannot. --- */

/*
 * Prints a line for each kind that the program has an option for to stdout. Queries libraries, the kernel and the
 * device, and allocates no memory.
 */
void memory_list_print(const struct device *device, const struct program *program);
