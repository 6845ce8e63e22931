/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The peer's intervals that this side has not used yet. native.c adds them, session removes them. */
#ifndef COMM_INTERVALS_H
#define COMM_INTERVALS_H

#include "comm/comm.h"

/* Appends an interval: -EINVAL if it is before the last one. The oldest is dropped if there is no room. */
int comm_intervals_add(struct comm_intervals *intervals, const struct comm_interval *interval);
/* Drops the intervals up to this index. */
void comm_intervals_drop(struct comm_intervals *intervals, unsigned index);

#endif
