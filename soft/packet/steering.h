/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* To which queue pairs do the frames go that come in? See steering.c. */
#ifndef SOFT_STEERING_H
#define SOFT_STEERING_H

#include <infiniband/verbs.h>

#include "packet/toeplitz.h"

struct core_qp;
struct soft_rwq_table;

/* How a queue pair without a queue of its own spreads frames over work queues. Its queue pair owns it. */
struct soft_rss {
	uint8_t key[TOEPLITZ_KEY_SIZE];
	uint64_t fields; /* enum ibv_rx_hash_fields */
	struct soft_rwq_table *table;
};

void soft_steering_reset(void); /* in a forked child */

#endif
