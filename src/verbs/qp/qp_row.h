/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Verbs QP types, and the attributes that each state transition needs. For the files that create and connect QPs. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "traffic/transport.h"

struct resources;

enum qp_receives {
	QP_RECEIVES_OWN, /* its own queue, or the SRQ if receives are shared */
	QP_RECEIVES_NONE,
	QP_RECEIVES_OF_SRQ,
	QP_RECEIVES_OF_DOMAIN, /* the SRQ that a message names, in an XRC domain */
};

struct qp_steps {
	enum ibv_qp_type type;
	bool sends;
	enum qp_receives receives;
	int init_mask;
	int rtr_mask;
	int rts_mask;	    /* 0: no such state */
	int inline_latency; /* inline bytes that latency tests request: what remains of 256 in a send of this type */
};

extern const struct qp_steps qp_rows[QP_KIND_COUNT];

/* endpoint: index of an endpoint of this side, see resources.h. */
enum qp_kind qp_kind_of(const struct resources *resources, unsigned endpoint);

static inline const struct qp_steps *qp_row_of(const struct resources *resources, unsigned endpoint)
{
	return &qp_rows[qp_kind_of(resources, endpoint)];
}
