/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is a kind of queue pair to verbs, and which attributes does each step of its life take? For the files that make
 * and connect queue pairs.
 */
#ifndef VERBS_QP_ROW_H
#define VERBS_QP_ROW_H

#include <infiniband/verbs.h>

#include "traffic/transport.h"

struct resources;

struct qp_steps {
	enum ibv_qp_type type;
	int init_mask;
	int rtr_mask;
	int rts_mask;	    /* 0: it has no such state */
	int inline_latency; /* bytes that latency tests ask for: what a send of this kind leaves free in 256 */
};

extern const struct qp_steps qp_rows[QP_KIND_COUNT];

/* Of an endpoint of this side: see resources.h. */
enum qp_kind qp_kind_of(const struct resources *resources, unsigned endpoint);

static inline const struct qp_steps *qp_row_of(const struct resources *resources, unsigned endpoint)
{
	return &qp_rows[qp_kind_of(resources, endpoint)];
}

#endif
