/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QP state transitions with the path attributes of rdma_cm. Steps of cm_connect.c; failures are reported here. index is
 * that of the QP. All return 0 or -errno.
 */
#pragma once

#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

#include "verbs/resources.h"

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
