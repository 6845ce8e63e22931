/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a queue pair must know about its peer. verbs fills it in, comm transfers it, so it belongs to neither. */
#pragma once

#include <stdint.h>

/* What a GID belongs to; these numbers are sent to the peer. The two RoCE versions cannot communicate. */
enum gid_kind { GID_UNKNOWN, GID_IB, GID_ROCE_V1, GID_ROCE_V2 };

/* The queue pair number of a multicast group, whose GID the endpoint has then (InfiniBand specification 1.3, 3.5.4). */
#define ENDPOINT_GROUP_QPN 0xffffff

struct endpoint {
	uint16_t lid;
	uint16_t alt_lid; /* of the alternate path; 0: none */
	uint32_t qpn;	  /* 24 bits */
	uint32_t psn;	  /* 24 bits */
	uint32_t rkey;
	uint64_t vaddr; /* of the region that the peer may read or write */
	uint32_t srqn;	/* 24 bits, 0 without a shared receive queue */
	/* 24 bits: of the target QP, if this side has an initiator and a target QP (XRC); else 0 */
	uint32_t target_qpn;
	uint32_t out_reads; /* RDMA READ and atomic requests that this side can hold as responder */
	uint32_t mtu;	    /* bytes, 256..4096 */
	uint8_t gid[16];    /* all zero: LID routing */
	uint8_t gid_kind;   /* an enum gid_kind; GID_UNKNOWN also if the peer cannot say */
	uint16_t gid_index; /* on its host, for messages */
	uint16_t cm_port;   /* where its side listens for rdma_cm connections of queue pairs; 0: it does not */
};
