// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which loop does a side run? See run.h. */
#include "loops/run.h"
#include "traffic/traffic.h"

loop_fn loop_of(const struct traffic *traffic)
{
	if (!traffic->measures)
		return NULL;
	if (traffic->forwards)
		return loop_forward;
	if (traffic->bursts)
		return traffic->active ? loop_burst_ask : loop_burst_answer;
	if (traffic->echoes && !traffic->samples)
		return traffic->polls_memory ? loop_echo_write : loop_echo_send;
	if (traffic->open_loop)
		return traffic->pulls ? loop_open_request : traffic->polls_memory ? loop_open_write : loop_open_send;
	if (traffic->metric == METRIC_LAT)
		return traffic->pulls ? loop_lat_request : traffic->polls_memory ? loop_lat_write : loop_lat_send;
	if (traffic->posts)
		return traffic->receives ? loop_bw_both : loop_bw_send;
	return loop_bw_recv;
}
