/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How evenly something is shared. */
#pragma once

/*
 * Jain's index, (sum x)^2 / (n * sum x^2), of n > 0 non-negative shares: 1 if all are equal, 1/n if one has everything;
 * NaN if there is nothing to share. R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination
 * for resource allocation in shared computer systems", DEC-TR-301, 1984.
 */
double fairness_of(const double *shares, unsigned count);
