// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What can a peer have done in the time? See claim.h. */
#include "util/claim.h"

#define CLOCK_SHARE 1.01 /* the peer's clock may be that much faster, */
#define CLOCK_S	    0.02 /* and coarse: qperf 0.4.11 counts in ticks of 10 ms */
#define AT_ONCE	    1e6	 /* messages of a loop that took less than its clock can tell */

double claim_longest_s(double since_s)
{
	return since_s * CLOCK_SHARE + CLOCK_S;
}

bool claim_is_possible(double since_s, double messages)
{
	return messages <= claim_longest_s(since_s) * CLAIM_MOST_PER_S + AT_ONCE;
}
