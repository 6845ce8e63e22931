/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Receive side scaling: the table from which a frame's work queue is selected, by the Toeplitz hash of the fields that
 * identify its flow. objects/wq.c creates work queues and tables; steering.c looks up a frame's queue.
 */
#pragma once

#include "host/core.h"
#include "packet/frame.h"

#define TOEPLITZ_KEY_SIZE 40u /* bytes: the longest input, IPv6 addresses and ports, plus the 32 bits of the hash */

/* The receive side of a hidden raw packet queue pair. */
struct core_wq {
	struct ibv_wq base;
	struct ibv_qp *qp;
	uint32_t users; /* tables */
};

struct soft_rwq_table {
	struct ibv_rwq_ind_table base;
	uint32_t users; /* queue pairs */
	uint32_t mask;	/* entries - 1 */
	struct core_wq *wqs[];
};

/* How an RSS queue pair distributes frames to work queues. The queue pair owns it. */
struct soft_rss {
	uint8_t key[TOEPLITZ_KEY_SIZE];
	uint64_t fields; /* enum ibv_rx_hash_fields */
	struct soft_rwq_table *table;
};

static inline struct core_qp *rwq_table_pick(const struct soft_rwq_table *table, uint32_t hash)
{
	return core_qp_of(table->wqs[hash & table->mask]->qp);
}

static inline void rwq_table_users(struct soft_rwq_table *table, int change)
{
	__atomic_add_fetch(&table->users, (uint32_t)change, __ATOMIC_RELEASE);
}

uint32_t soft_toeplitz(const uint8_t key[TOEPLITZ_KEY_SIZE], const uint8_t *data, uint32_t length);
/*
 * Hashes those of the fields (enum ibv_rx_hash_fields) that the frame has, in the order source address, destination
 * address, source port, destination port; 0: it has none.
 */
uint32_t soft_toeplitz_frame(const uint8_t key[TOEPLITZ_KEY_SIZE], uint64_t fields, const struct soft_frame *frame);
