/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What do the runs of several threads come to, which had one plan and began together? */
#ifndef LOOPS_RUN_SUM_H
#define LOOPS_RUN_SUM_H

#include "loops/run.h"

/*
 * The result of all: counts are added up, and the time is the common one, from the first begin to the last end. There
 * is no peak: each thread's windows have ends of their own. What failed is the caller's to say. The results may be
 * those of runs that are under way.
 */
void run_sum(struct run_result *sum, const struct run_result *results, unsigned count);

/*
 * Once all have ended: a thread that was cut short before the sample window began counts all that it did, from the
 * begin on. Where one is such, so does every other: results are what each then counts, so that they still add up.
 */
void run_sum_cut_short(struct run_result *sum, const struct run_plan *plan, struct run_result *results, unsigned count);

#endif
