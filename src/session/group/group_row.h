/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common row of several pairs that were measured at once. Called by group.c; no side effects but memory.
 *
 * Its time is that from the first start to the last end of the pairs' measured times, by this host's clock, with which
 * the peers' were compared: each side reports when its time began, and how long it lasted. A total bandwidth is what
 * was moved in that time, so that the rates of pairs which did not run together are never added up; the overlap, the
 * part of it in which all pairs ran, says how far they did. Samples are those of all pairs; minimum, maximum and
 * fairness are those of the pairs' averages, with latency of their medians.
 */
#pragma once

#include "report/row.h"
#include "session/group/member.h"

/* One of the pairs, in the order of the list. */
struct group_pair {
	const char *address;
	const struct member_slot *slot;
	bool measured; /* otherwise it was lost */
};

struct group_row {
	struct report_row row; /* peers and latency point to the fields below */
	struct report_peers peers;
	struct report_peer *list;
	double *shares;
	struct latency samples;
};

/* Room for num_pairs pairs; freed with group_row_close(). 0 or -ENOMEM. */
int group_row_open(struct group_row *merged, unsigned num_pairs);
void group_row_close(struct group_row *merged);
/*
 * At least one pair must be measured. sent: multicast, the row of the only sender, whose figures are those of all;
 * otherwise NULL. 0, or -EPROTO: not all measured the same message size.
 */
int group_row_make(struct group_row *merged, const struct group_pair *pairs, unsigned num_pairs,
		   const struct report_row *sent);
