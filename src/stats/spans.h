/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Several measurements at once: how far they ran together, and how equal their shares are. Called by session and
 * cxi_send_bw for the row of all. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The time in which all ran, and that in which any did; ns by one clock. Initially zero. */
struct spans {
	int64_t first_begin, last_begin, first_end, last_end;
	bool any;
};

void spans_add(struct spans *spans, int64_t begin, int64_t end);
/* From the first start to the last end. */
double spans_seconds(const struct spans *spans);
/* The share of that time in which all ran. */
double spans_overlap_percent(const struct spans *spans);

/*
 * Jain's index, (sum x)^2 / (n * sum x^2), of n > 0 non-negative shares: 1 if all are equal, 1/n if one has everything;
 * NaN if there is nothing to share. R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination
 * for resource allocation in shared computer systems", DEC-TR-301, 1984.
 */
double fairness_of(const double *shares, unsigned count);
