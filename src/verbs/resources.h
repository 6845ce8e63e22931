/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What there is of verbs objects in a test, for the files that make its parts. perftest_resources.h has the order in
 * which they are made, and is what other layers call.
 */
#ifndef VERBS_RESOURCES_H
#define VERBS_RESOURCES_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/addresses.h"
#include "util/endpoint.h"
#include "verbs/device.h"
#include "verbs/places.h"
#include "verbs/queue.h"
#include "verbs/verbs_config.h"

struct buffer; /* memory/memory.h */

/*
 * With the other side, for queue pairs that are connected by rdma_cm: between which addresses, and who asks.
 * Otherwise nobody looks at it.
 */
struct meeting {
	struct addresses addresses;
	bool asks;	    /* this side asks to be connected, and the other listens: the client */
	uint16_t port;	    /* to listen on; 0: any, which the endpoints tell */
	int64_t timeout_ms; /* limit of a wait in which nothing happens; < 0: none */
	/* Called several times a second during a wait: is the other side well? 0 or -errno, reported. */
	int (*look)(void *owner);
	void *owner;
};

struct connector; /* verbs/connector.h */
struct cm_set;	  /* verbs/cm_connect.c */

struct resources {
	const struct device *device;
	const struct verbs_config *config;
	struct traffic traffic; /* of this side */
	const struct connector *connector;
	struct meeting meeting;
	struct cm_set *cm; /* with -R */
	bool peer_unseen;  /* its endpoints come only when rdma_cm has connected the queue pairs */

	struct ibv_pd *pd;
	struct queue_set *sets; /* of a thread each: together all of tx and rx, in order */
	unsigned num_sets;
	struct tx_queue *tx;	/* one per qp */
	struct rx_queue *rx;	/* one per qp */
	struct buffer *buffers; /* one, or one per qp with --mr_per_qp */
	struct ibv_mr **mrs;
	unsigned num_buffers;
	uint64_t page_bytes;	 /* small messages walk over so much, on both sides: host_walk() */
	uint64_t slot_bytes;	 /* a qp's share of each half of the buffer */
	struct endpoint *local;	 /* one per qp */
	struct endpoint *remote; /* one per qp: room for the peer's answer, which resources_connect() reads */
	unsigned num_qps;
	uint32_t mtu;	      /* bytes: the smaller of both sides after resources_connect() */
	uint32_t inline_size; /* what all qps granted, at most what was asked */
	uint32_t inline_asked;
	struct ibv_qp_cap granted; /* of the last qp made: depths may be more than was asked for */
	uint32_t outs;		   /* initiator depth in use */
	uint32_t rx_depth; /* receives that a qp holds: as asked for, but a default is lowered to the device's limit */
	bool wr_api;	   /* ibv_wr_*; false: ibv_post_send() */
	uint64_t max_message;	  /* bytes: the MTU on UD (of both sides once connected), else the port's limit */
	uint64_t recv_bytes;	  /* length of every receive: the largest message, and 40 bytes of GRH on UD */
	bool relaxed;		  /* the regions are registered with relaxed ordering */
	struct place_grid places; /* --data_validation: for messages of the size that was prepared last */
};

/* Do messages of this size go inline? */
static inline bool resources_inlines(const struct resources *resources, uint64_t size)
{
	return size <= resources->inline_size;
}

#endif
