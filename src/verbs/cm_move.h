/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How does a queue pair get ready with what rdma_cm knows of the path? Steps of cm_connect.c; failures are reported
 * here. index: of the queue pair. All return 0 or -errno.
 */
#ifndef VERBS_CM_MOVE_H
#define VERBS_CM_MOVE_H

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

/* INIT once more: the port and the partition are those of the path. */
int cm_move_to_init(struct resources *resources, unsigned index, struct rdma_cm_id *id);
/* From INIT, so. */
int cm_move_to_rts(struct resources *resources, unsigned index, struct rdma_cm_id *id);
/* Takes back what an attempt did to the queue pair. */
int cm_move_back(struct resources *resources, unsigned index);
/* Of datagrams: whom the event of an established connection names. */
int cm_take_address(struct resources *resources, unsigned index, const struct rdma_cm_event *event);
/* The listening side learns nothing of the asking one's queue pair by rdma_cm, but has its endpoint. */
int cm_make_address(struct resources *resources, unsigned index);

#endif
