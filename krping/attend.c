// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How does a side that sees nothing of the other's work notice that the other is gone? By asking its device. */
#include "endpoint.h"

#define ASKED 4

/*
 * A peer that is gone without a word is noticed by asking its device, ASKED times in the limit of a wait. One question
 * is under way at a time; the device's own retries answer it, or the limit does.
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
