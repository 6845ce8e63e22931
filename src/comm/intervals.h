/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The peer's intervals that this side has not used yet. Put in by native.c, taken by session.
 */
#ifndef COMM_INTERVALS_H
#define COMM_INTERVALS_H

#include "comm/comm.h"

/* Behind the last one: -EINVAL where it is before that. The oldest goes when there is no room. */
int comm_intervals_add(struct comm_intervals *intervals, const struct comm_interval *interval);
/* Those up to the one at this index are done with. */
void comm_intervals_drop(struct comm_intervals *intervals, unsigned index);

#endif
