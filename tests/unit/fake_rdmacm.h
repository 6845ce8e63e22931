/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * librdmacm and the verbs that cmtime uses, without a kernel: each call is answered by an event at once, as a
 * well-behaved server would, unless the test asks for something else.
 */
#pragma once

#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdbool.h>

#define FAKE_MAX_QPNS	  64
#define FAKE_FIRST_QPN	  17
#define FAKE_PRIVATE_SIZE 56
#define FAKE_KERNELS_ATTR (1 << 21) /* bit of a mask: an attribute that kernels before 4.16 return */

struct fake_rdmacm {
	/* the script */
	int resolved_addrs;    /* resolve calls that succeed before those that fail */
	int unresolved_addrs;  /* resolve calls that end in ADDR_ERROR */
	int unresolved_routes; /* ... in ROUTE_ERROR */
	bool is_iwarp;	       /* the device is iWARP: the kernel modifies queue pairs, and a client gets ESTABLISHED */
	int reject_status;     /* 0: connections are accepted */
	int rejects;	       /* number of connections that are rejected; 0: all */
	bool reuses_qpns;      /* the next queue pair gets the lowest free number */
	int qps;	       /* that can be created; -1: any number */
	int answers;	       /* connections that are answered, the others never; -1: all */
	bool clients_die;      /* clients die before they are accepted */
	bool hangs_up;	       /* the server ends each connection as soon as it is established */
	/* what happened */
	_Atomic int resolve_addr_calls, resolve_route_calls;
	_Atomic int wrong_destinations; /* resolve calls for an address other than the destination */
	struct sockaddr_in destination;
	_Atomic int established, disconnected;
	_Atomic int open_ids, open_qps;
	_Atomic int num_qpns; /* numbers used by connections */
	uint32_t qpns[FAKE_MAX_QPNS];
	uint8_t private_data[FAKE_PRIVATE_SIZE]; /* of the latest request */
	uint8_t private_data_len;
	_Atomic int strange_attributes; /* QPs modified with attributes that only the kernel may set */
};

extern struct fake_rdmacm fake_rdmacm;

/* Resets everything. */
void fake_rdmacm_reset(void);
/* A client's request to the listening ID, with private data padded as by an InfiniBand device. */
void fake_rdmacm_request(const void *private_data, uint8_t length);
int fake_rdmacm_channel_fd(void); /* -1: there is none */
