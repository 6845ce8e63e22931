/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A byte stream over an RC queue pair that rdma_cm connects, as SENDs: the carrier of rdma_cm.c, which creates and
 * connects it.
 *
 * The device retries a SEND without a posted receive after a pause, repeatedly, and the pauses would be in the
 * barriers. So each end counts the receives that the other has posted (credits). Both send their initial number in the
 * private data of the connection; each SEND carries as immediate data how many were posted since, or on iWARP, which
 * has no immediate data, in its last four bytes. The last credit is reserved for sending that, so that two ends that
 * have used up all others do not deadlock.
 *
 * linux-rdma perftest has no such private data, no immediate data, and one receive at a time: an answer means that the
 * next message may be sent.
 */
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

#include "comm/comm.h"
#include "net/conn.h"

#define COMM_CM_LINK_RECEIVES 16

/* Private data of the connection request and of the reply; numbers are big-endian. */
struct comm_cm_link_mark {
	uint8_t magic[4];
	uint16_t receives; /* posted initially, at least 2 */
	uint16_t chunk;	   /* size of each in bytes, at least 64 */
};

struct arrived {
	unsigned buffer;
	uint32_t length;
};

struct comm_cm_link {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id; /* with the queue pair */
	struct ibv_comp_channel *completions;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *memory; /* receive buffers, then send buffers */
	unsigned events; /* of the completion channel, acked at the end */

	/* Arrivals that have not been read yet, oldest first. */
	struct arrived arrived[COMM_CM_LINK_RECEIVES];
	unsigned first, num_arrived;
	uint32_t taken; /* bytes of the oldest that have been read */
	unsigned owed;	/* newly posted receives, not yet reported to the peer */

	unsigned next_send; /* buffer; used and freed in order */
	unsigned in_flight;
	unsigned credits;    /* receives that the peer has posted for us */
	uint32_t peer_chunk; /* size of each in bytes */
	bool counts;	     /* the peer counts credits, like this suite */
	bool in_band;	     /* ... and gets them in the last bytes of a SEND: iWARP */

	bool disconnected;
	int error; /* what made the queue pair fail; 0: nothing */
};

extern const struct carrier carrier_rdma_cm; /* the conn's handle is a struct comm_cm_link */

/* Creates the queue pair and posts its receives, on the device that rdma_cm found. 0 or -errno, not reported. */
int comm_cm_link_open(struct comm_cm_link *link);
/* Frees a link, which may be incomplete; NULL is allowed. */
void comm_cm_link_free(struct comm_cm_link *link);
/*
 * How this side connects, with its private data, the mark. The device retries without a limit if no receive is posted:
 * a classic peer posts one at a time.
 */
struct rdma_conn_param comm_cm_link_param(struct comm_cm_link_mark *mark);
/* Reads the peer's private data. */
void comm_cm_link_read_mark(struct comm_cm_link *link, const struct rdma_conn_param *param);

/*
 * --- rdma_cm.c: how two ends connect with rdma_cm (-z, -R). Called by perftest_communication.c, like net/tcp.h and
 * net/listener.h, with the same errors. ---
 */

/*
 * If rdma_cm was not requested and is not available, or would use TCP's port, *listener stays as it is and that is no
 * error. 0 or -errno, reported.
 */
int comm_cm_listen(struct comm_cm_listener **listener, const struct comm_address *address);
void comm_cm_unlisten(struct comm_cm_listener *listener); /* NULL is allowed */
/* Does it share its ports with TCP, so that TCP may not be able to use this one? */
bool comm_cm_takes_tcp(const struct comm_cm_listener *listener); /* NULL: no */
int comm_cm_listener_fd(const struct comm_cm_listener *listener);
/* Like listener_accept(). */
int comm_cm_accept(struct comm_cm_listener *listener, struct conn *conn);
/* Like tcp_connect(). */
int comm_cm_connect(struct conn *conn, const struct comm_address *address, int64_t timeout_ms);
