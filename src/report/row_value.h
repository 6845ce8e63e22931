/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The figures of a row, one function per column: values and samples for the table in columns.c, which is the only user.
 * of is a struct report_row; in SI units, NAN if there is none.
 */
#ifndef REPORT_ROW_VALUE_H
#define REPORT_ROW_VALUE_H

#include "report/row.h"
#include "report/table.h"

/* The two distributions of an open loop; other tests only have the first. */
enum since { SINCE_DUE, SINCE_POST };

double row_message_size(const void *of, const struct column *column);
double row_sl(const void *of, const struct column *column);
double row_iterations(const void *of, const struct column *column);
double row_seconds(const void *of, const struct column *column);
double row_bw_peak(const void *of, const struct column *column);
double row_bw_average(const void *of, const struct column *column);
double row_message_rate(const void *of, const struct column *column);
double row_port_bandwidth(const void *of, const struct column *column);
double row_port_rate(const void *of, const struct column *column);
double row_lost(const void *of, const struct column *column);
double row_first_arrivals(const void *of, const struct column *column);
double row_iterations_own(const void *of, const struct column *column);
double row_iterations_peer(const void *of, const struct column *column);
double row_checked(const void *of, const struct column *column);
double row_wrong(const void *of, const struct column *column);
double row_transactions(const void *of, const struct column *column);
double row_removals(const void *of, const struct column *column);
double row_cpu_percent(const void *of, const struct column *column);
double row_latency_open(const void *of, const struct column *column);
double row_backward(const void *of, const struct column *column);
uint64_t row_latency_samples(const void *of, const struct column *column);
double row_latency_min(const void *of, const struct column *column);
double row_latency_max(const void *of, const struct column *column);
double row_latency_mean(const void *of, const struct column *column);
double row_latency_stdev(const void *of, const struct column *column);
double row_latency_percentile(const void *of, const struct column *column);
double row_latency_typical(const void *of, const struct column *column);
double row_load_share(const void *of, const struct column *column);
double row_load_rate(const void *of, const struct column *column);
double row_load_sent(const void *of, const struct column *column);
double row_load_late(const void *of, const struct column *column);
double row_load_lost(const void *of, const struct column *column);
double row_load_unanswered(const void *of, const struct column *column);
double row_load_unsent(const void *of, const struct column *column);
double row_repeats(const void *of, const struct column *column);
double row_left_out(const void *of, const struct column *column);
double row_confidence_low(const void *of, const struct column *column);
double row_confidence_high(const void *of, const struct column *column);
double row_reached(const void *of, const struct column *column);
double row_thread(const void *of, const struct column *column);
double row_cpu(const void *of, const struct column *column);
double row_peers(const void *of, const struct column *column);
double row_least(const void *of, const struct column *column);
double row_most(const void *of, const struct column *column);
double row_fairness(const void *of, const struct column *column);
double row_least_interval(const void *of, const struct column *column);
double row_least_begin(const void *of, const struct column *column);
double row_overlap(const void *of, const struct column *column);
double row_clock_error(const void *of, const struct column *column);

#endif
