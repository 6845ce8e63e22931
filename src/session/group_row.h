/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What do the rows of several pairs that were measured at once come to? Called by group.c; pure but for memory.
 *
 * The time of the whole is that from the first begin to the last end of the pairs' measured times, by this host's
 * clock: a pair's begins so long after the barrier as its own side says, and lasts as long as that says. A bandwidth of
 * all is what was moved in it, so that rates of pairs which did not run together are never added up; how far they did
 * is the overlap, the time in which all ran, of that. Samples are those of all pairs; what is least, most and fair is
 * so of the pairs' averages, of latency of their medians.
 */
#ifndef SESSION_GROUP_ROW_H
#define SESSION_GROUP_ROW_H

#include "report/row.h"
#include "session/member.h"

/* One of the pairs, in the order in which they are listed. */
struct group_pair {
	const char *address;
	const struct member_slot *slot;
	bool measured; /* otherwise it was lost */
};

struct group_row {
	struct report_row row; /* peers and latency point to what is below */
	struct report_peers peers;
	struct report_peer *list;
	double *shares;
	struct latency samples;
};

/* Room for so many pairs; freed with group_row_close(). 0 or -ENOMEM. */
int group_row_open(struct group_row *merged, unsigned num_pairs);
void group_row_close(struct group_row *merged);
/* At least one was measured. 0, or -EPROTO: not all measured messages of one size. */
int group_row_make(struct group_row *merged, const struct group_pair *pairs, unsigned num_pairs);

#endif
