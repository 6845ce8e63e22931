/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What cm_connect.c does with a QP that rdma_cm connects: what comes next, its state transitions, and its options. */
#pragma once

#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

#include "verbs/connect/cm.h"
#include "verbs/resources.h"

/* --- cm_step.c: the state machine, a table, which calls nothing and needs no device --- */

enum cm_state {
	CM_IDLE,     /* active side: not started, or to be restarted; passive side: waits for a request */
	CM_ADDRESS,  /* active side: resolving the address */
	CM_ROUTE,    /* active side: resolving the route */
	CM_ASKED,    /* active side: request sent */
	CM_ANSWERED, /* passive side: accepted, the peer's confirmation is missing */
	CM_READY,
};

enum cm_action {
	CM_IGNORE,
	CM_FIND_ROUTE,
	CM_ASK,
	CM_CONFIRM, /* move the QP to RTS, then notify the peer */
	CM_ANSWER,  /* move the QP to RTS, then accept */
	CM_TAKE,    /* connected; on UD the event has the peer's address */
	CM_RESTART, /* from CM_IDLE, after a pause */
	CM_GIVE_UP,
};

struct cm_step {
	enum cm_state next;
	enum cm_action action;
};

/* attempts: including this one. datagrams: UD, on which the passive side is done once it has accepted. */
struct cm_step cm_step(enum cm_state state, enum rdma_cm_event_type event, enum cm_verdict verdict, unsigned attempts,
		       bool datagrams);

/*
 * --- cm_move.c: transitions with the path attributes of rdma_cm ---
 *
 * Failures are reported there. index is that of the QP. All return 0 or -errno.
 */

#define CM_MAX_RETRIES 7 /* three bits on the wire */

static inline bool cm_is_datagram(const struct resources *resources)
{
	return resources->traffic.transport->datagram;
}

static inline uint8_t cm_retries(const struct resources *resources)
{
	const unsigned retries = resources->config->retry_count;

	return (uint8_t)(retries < CM_MAX_RETRIES ? retries : CM_MAX_RETRIES);
}

/* To INIT again, with the port and the P_Key of the path. */
int cm_move_to_init(struct resources *resources, unsigned index, struct rdma_cm_id *id);
/* From INIT to RTS, in which a UD QP stays. */
int cm_move_to_rts(struct resources *resources, unsigned index, struct rdma_cm_id *id);
/* Undoes what a failed attempt did to the QP: nothing on UD, and until it has left INIT. */
int cm_move_back(struct resources *resources, unsigned index);
/* UD: takes the peer's address from the event of an established connection. */
int cm_take_address(struct resources *resources, unsigned index, const struct rdma_cm_event *event);
/* UD, listening side: rdma_cm does not tell it the initiator's QP, so the address comes from the endpoint. */
int cm_make_address(struct resources *resources, unsigned index);

/*
 * --- cm_ece.c: enhanced connection establishment ---
 *
 * Negotiates vendor-specific features of a connection. The rdma_cm request carries the options of the initiator's
 * device, the reply those that both devices support, and each QP is configured with them before RTR. This is what
 * rdma_create_qp(3) does, for QPs that were created without it: ibv_query_ece(3), rdma_set_local_ece(3). Nothing
 * changes if a device has no ECE or the peer's vendor differs.
 */

/* Adds the QP's options to the next request or reply. 0 or -errno, not reported. */
int cm_ece_offer(struct rdma_cm_id *id, struct ibv_qp *qp);
/*
 * Applies the options of the peer's request or reply; to be called before RTR. *taken: the QP was configured with them;
 * false if they mean nothing to this device.
 */
int cm_ece_apply(struct rdma_cm_id *id, struct ibv_qp *qp, bool *taken);
/* The options that the QP has accepted. Some devices know them only in RTR (mlx5). */
int cm_ece_agreed(struct ibv_qp *qp, struct ibv_ece *agreed);
