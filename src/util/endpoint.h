/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What one queue pair must know of its peer. verbs fills it, comm carries it,
 * so it names neither.
 */
#ifndef UTIL_ENDPOINT_H
#define UTIL_ENDPOINT_H

#include <stdint.h>

struct endpoint {
	uint16_t lid;
	uint32_t qpn; /* 24 bits */
	uint32_t psn; /* 24 bits */
	uint32_t rkey;
	uint64_t vaddr;	    /* of the region that the peer may read or write */
	uint32_t srqn;	    /* 24 bits, 0 without a shared receive queue */
	uint32_t out_reads; /* RDMA READ and atomic requests this side can hold as responder */
	uint32_t mtu;	    /* bytes, 256..4096 */
	uint8_t gid[16];    /* all zero: LID routing */
};

#endif
