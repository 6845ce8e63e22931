/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the two sides know of each other's ends. verbs, comm and qperf fill it in, transfer it and use it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* What a GID belongs to; these numbers are sent to the peer. The two RoCE versions cannot communicate. */
enum gid_kind { GID_UNKNOWN, GID_IB, GID_ROCE_V1, GID_ROCE_V2 };

/* The queue pair number of a multicast group, whose GID the endpoint has then (InfiniBand specification 1.3, 3.5.4). */
#define ENDPOINT_GROUP_QPN 0xffffff

/* What a queue pair must know about its peer. */
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

/* The addresses of both ends of a connection, by which verbs chooses a GID. */
struct addresses {
	/* The RDMA device of the connection and its port; "": unknown, as with TCP. */
	char device[64];
	uint8_t port;
	struct sockaddr_storage local; /* AF_UNSPEC: unknown */
	struct sockaddr_storage peer;  /* AF_UNSPEC: unknown */
};

/* Where a side's device and host are, so that what cannot work is refused before it is tried. */
struct site {
	char device[64];     /* its name, for messages */
	bool is_software;    /* from libperftest_soft: it connects the processes of one user on one host */
	uint32_t page_bytes; /* of the host; a power of two, SITE_LEAST_PAGE to SITE_LARGEST_PAGE */
	uint32_t uid;	     /* effective, as numbered in the side's own namespace */
	char boot[40];	     /* the kernel's boot_id, the same for all containers of a machine; "" unknown */
	/* For a software device: the folder through which its processes find each other. */
	char folder_id[44]; /* "DEVICE:INODE"; "" unknown */
	char folder[128];   /* its path, for messages */
};

#define SITE_LEAST_PAGE	  4096U
#define SITE_LARGEST_PAGE (1U << 20) /* the largest of any kernel is 256 KiB */
