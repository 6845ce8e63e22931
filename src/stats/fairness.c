// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How evenly something is shared. See fairness.h. */
#include "stats/fairness.h"

#include <math.h>

double fairness_of(const double *shares, unsigned count)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < count; i++) {
		sum += shares[i];
		squares += shares[i] * shares[i];
	}
	return squares > 0 ? sum * sum / (count * squares) : NAN;
}
