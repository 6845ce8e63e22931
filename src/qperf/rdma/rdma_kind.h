/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An RDMA test's properties, encoded in one number, for the table of tests and the test body. */
#pragma once

#include "traffic/traffic.h"

#define RDMA_IMM    0x100  /* with immediate data: messages consume receives */
#define RDMA_BOTH   0x200  /* in both directions at once */
#define RDMA_SWAP   0x400  /* compare and swap; otherwise fetch and add */
#define RDMA_VERIFY 0x1000 /* the values that requests return are checked */
#define RDMA_MEMORY 0x800  /* the receiver polls its memory and gets no completions */

#define RDMA_ATOMIC_BYTES 8

struct qperf_session;

#define RDMA_KIND(transport, verb, flags) ((int)(transport) | (int)(verb) << 4 | (flags))
#define RDMA_TRANSPORT(kind)		  ((enum transport)((kind)&0xf))
#define RDMA_VERB(kind)			  ((enum verb)((kind) >> 4 & 0xf))

/*
 * Can the device of this side do what the test needs? 0 or -errno, reported. host: the server's; with -cm1 one that
 * names only loopback addresses becomes an address of the device.
 */
int rdma_look_for(const struct qperf_session *session, char *host, size_t size);
