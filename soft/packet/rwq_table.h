/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table from which RSS selects a frame's work queue. objects/wq.c creates work queues and tables; steering.c looks
 * up a frame's queue.
 */
#pragma once

#include "host/core.h"

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

static inline struct core_qp *rwq_table_pick(const struct soft_rwq_table *table, uint32_t hash)
{
	return core_qp_of(table->wqs[hash & table->mask]->qp);
}

static inline void rwq_table_users(struct soft_rwq_table *table, int change)
{
	__atomic_add_fetch(&table->users, (uint32_t)change, __ATOMIC_RELEASE);
}
