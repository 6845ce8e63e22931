// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Detects a dead peer on a side that sees nothing of the peer's work, by querying the peer's device. */
#include "endpoint.h"

#define ASKED 4

/*
 * A peer that disappears silently is detected by a query to its device, ASKED times within the limit of a wait. One
 * query is outstanding at a time; it ends with an answer, when the device's retries are exhausted, or at the limit.
 */
int krping_attend(struct krping_endpoint *endpoint, krping_ready_fn ready)
{
	static const char what[] = "end of the peer's test";
	unsigned int unanswered = 0;
	long left;
	int err;

	for (;;) {
		left = krping_pause(endpoint, ready, max(krping_limit(endpoint) / ASKED, 1L));
		if (left || ready(endpoint) || krping_is_over(endpoint))
			return krping_verdict(endpoint, ready, left, what);
		unanswered = krping_is_alive(endpoint) ? 0 : unanswered + 1;
		if (unanswered > ASKED)
			return krping_result_fail(endpoint->result, -ETIMEDOUT, "the peer's device does not answer");
		if (unanswered)
			continue;
		err = krping_post_alive(endpoint);
		if (err)
			return err;
	}
}
