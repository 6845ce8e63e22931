/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The RDMA tests, on top of verbs and loops. */
#ifndef QPERF_RDMA_H
#define QPERF_RDMA_H

#include "qperf/control/session.h"
#include "qperf/rdma/rdma_kind.h"

#define RDMA_ATOMIC_BYTES 8

extern const struct test_ops rdma_ops;

#endif
