/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A stream of bytes over an RC queue pair that rdma_cm connects, as SENDs: the carrier of rdma_cm.c, which makes and
 * connects it.
 *
 * A SEND that finds no receive posted is tried again by the device after a pause, over and over, and
 * the pauses would be in the barriers. So each end counts the receives that the other has left
 * (credits). Both tell in the private data of the connection how many they start with; each SEND brings,
 * as immediate data, how many were posted anew; on iWARP, which has no such data, in its last four bytes. The last
 * credit is kept for telling that, so that two ends that have used up all others are not stuck.
 *
 * linux-rdma perftest has no such private data, no immediate data, and one receive at a time: there an answer
 * is what says that the next message may go.
 */
#ifndef COMM_RDMA_CM_LINK_H
#define COMM_RDMA_CM_LINK_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/carrier.h"

#define RDMA_CM_LINK_RECEIVES 16

/* Private data of the request to connect and of the answer; numbers are big-endian. */
struct rdma_cm_mark {
	uint8_t magic[4];
	uint16_t receives; /* posted from the start, 2 or more */
	uint16_t chunk;	   /* bytes that each of them holds, 64 or more */
};

struct arrived {
	unsigned buffer;
	uint32_t length;
};

struct rdma_cm_link {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id; /* with the queue pair */
	struct ibv_comp_channel *completions;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *memory; /* buffers to receive in, then those to send from */
	unsigned events; /* of the completion channel, to be acknowledged in the end */

	/* What came and was not read yet, oldest first. */
	struct arrived arrived[RDMA_CM_LINK_RECEIVES];
	unsigned first, num_arrived;
	uint32_t taken; /* bytes of the oldest that were read */
	unsigned owed;	/* receives posted anew that the peer was not told of */

	unsigned next_send; /* buffer; they are used and freed in order */
	unsigned in_flight;
	unsigned credits;    /* receives that the peer has left for us */
	uint32_t peer_chunk; /* bytes that each of them holds */
	bool counts;	     /* the peer counts credits, as this suite does */
	bool in_band;	     /* ... and is told of them in the last bytes of a SEND: iWARP */

	bool disconnected;
	int error; /* what broke the queue pair; 0: nothing */
};

extern const struct carrier carrier_rdma_cm; /* the conn's handle is a struct rdma_cm_link */

/* The queue pair and its receives, on the device that rdma_cm found for the id. 0 or -errno, not reported. */
int rdma_cm_link_open(struct rdma_cm_link *link);
/* Takes a link in any state of being made; NULL is allowed. */
void rdma_cm_link_free(struct rdma_cm_link *link);
/* What this side says of itself. */
void rdma_cm_link_fill_mark(struct rdma_cm_mark *mark);
/* What does the peer say of itself? */
void rdma_cm_link_read_mark(struct rdma_cm_link *link, const struct rdma_conn_param *param);

#endif
