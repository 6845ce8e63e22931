/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages between the cm ids of two processes. See link.c. Only processes of the same user can connect, but messages
 * are checked anyway. All functions return 0 or a negative errno.
 */
#pragma once

#include "cm.h"

#define CM_MESSAGE_MAGIC   0x50465443u /* "PFTC" */
#define CM_MESSAGE_VERSION 1

enum cm_message_kind {
	CM_REQ = 1,
	CM_REP,
	CM_RTU,
	CM_REJ,
	CM_DREQ,
	CM_DREP,
	CM_SIDR_REQ,
	CM_SIDR_REP,
};

/* One packet, in host byte order: both ends are on the same host. */
struct cm_message {
	uint32_t magic;
	uint32_t version;
	uint32_t kind;	 /* enum cm_message_kind */
	uint32_t device; /* of the sender */
	uint32_t qpn;	 /* of the sender's queue pair */
	uint32_t psn;	 /* the first PSN of both directions */
	uint32_t qkey;	 /* SIDR_REP */
	uint32_t reason; /* REJ, SIDR_REP: 0 is success there */
	struct rdma_ucm_ece ece;
	union cm_address source, destination; /* REQ, SIDR_REQ */
	uint8_t qp_type;
	uint8_t responder_resources; /* of the sender */
	uint8_t initiator_depth;
	uint8_t flow_control;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t srq;
	uint8_t private_length;
	uint8_t private_data[RDMA_MAX_PRIVATE_DATA];
};

/* Reserves the id's source port (0: chooses a free one and stores it) and listens on it. */
int cm_link_listen(struct cm_id *id);
/* A connection to the process that listens on the id's destination; -ECONNREFUSED, or -EAGAIN: try again later. */
int cm_link_connect(const struct cm_id *id, int *fd);
int cm_link_accept(int listen_fd, int *fd);
bool cm_link_lacks(int err);			      /* is it due to descriptors or memory that this process lacks? */
int cm_link_send(int fd, struct cm_message *message); /* fills magic and version */
/* -EAGAIN: no message; -EPROTO: not one of ours; -ECONNRESET: the other end is closed. */
int cm_link_receive(int fd, struct cm_message *message);
/* A port that no listener uses, for the source of an active id. */
in_port_t cm_link_some_port(void);
