/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Steers received frames to queue pairs. See steering.c. */
#pragma once

#include <infiniband/verbs.h>

#include "packet/toeplitz.h"

struct core_qp;
struct soft_rwq_table;

/* How an RSS queue pair distributes frames to work queues. The queue pair owns it. */
struct soft_rss {
	uint8_t key[TOEPLITZ_KEY_SIZE];
	uint64_t fields; /* enum ibv_rx_hash_fields */
	struct soft_rwq_table *table;
};

void soft_steering_reset(void); /* in a forked child */
