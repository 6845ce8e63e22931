/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sum of the runs of several threads, which had one plan and began together. */
#pragma once

#include "loops/run.h"

/*
 * The result of all: counts are added up, and the time is common, from the first start to the last end. There is no
 * peak: each thread's windows end at other times. Of a receiver's first arrivals, results keeps those that may have
 * arrived before the common time. The caller reports failures. The runs may still be in progress.
 */
void run_sum(struct run_result *sum, struct run_result *results, unsigned count);

/*
 * Once all have ended: a thread that was cut short before the sample window began counts everything from its start. If
 * there is one, so do all others: results becomes what each then counts, so that they still add up.
 */
void run_sum_cut_short(struct run_result *sum, const struct run_plan *plan, struct run_result *results, unsigned count);
