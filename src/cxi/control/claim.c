// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is what the peer reports possible? See claim.h. */
#include "cxi/control/claim.h"

#include <stddef.h>

#include "util/claim.h"

#define CLOCK_PARTS 100 /* the part by which two clocks may differ */

/* Finishing a list takes this side's response, and only one list is in flight. */
static const char *judge_lists(const struct cxi_witness *witness, const struct cxi_sent *sent)
{
	if (!witness->peer_sends)
		return sent->started ? "it was not to send anything" : NULL;
	if (witness->iters && sent->finished != witness->iters)
		return "it finished another number of lists than it was asked to";
	if (sent->finished > witness->responded)
		return "it finished more lists than were answered";
	return sent->started - sent->finished > 1 ? "it left more than one list unfinished" : NULL;
}

const char *cxi_claim_sent(const struct cxi_witness *witness, const struct cxi_sent *sent)
{
	const char *fault = judge_lists(witness, sent);

	if (fault || !witness->peer_sends)
		return fault;
	if ((double)sent->elapsed_ns > claim_longest_s((double)witness->most_ns / 1e9) * 1e9)
		return "its time is longer than the test has lasted";
	/* A list that is still unfinished when the duration ends counts with its time: it can only be longer. */
	if (witness->window_ns)
		return sent->elapsed_ns < witness->window_ns ? "its time is shorter than the duration" : NULL;
	return sent->elapsed_ns < witness->least_ns - witness->least_ns / CLOCK_PARTS
		       ? "its time is shorter than that in which its lists arrived"
		       : NULL;
}

const char *cxi_claim_checked(bool verifies, uint64_t lists, uint32_t list, const struct cxi_checked *checked)
{
	if (!verifies || !lists)
		return checked->messages ? "it had nothing to check" : NULL;
	/* The slots of its buffer: at least one, at most one for each send. */
	if (checked->messages < lists)
		return "it has not checked every list";
	return checked->messages > lists * list ? "it has checked more than was sent" : NULL;
}
