// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Executes requests on raw packet queue pairs. The bytes of a request are a frame, sent unchanged on the interface.
 * Called by post.c, and by retry_queue.c while the interface's queue is full.
 */
#include "packet/raw_packet.h"

#include "data/execute.h"
#include "host/async.h"
#include "packet/frame.h"
#include "packet/interface.h"

#define FRAME_MAX 65536u /* bytes: no interface accepts more */

static int frame_send(const struct pieces *local)
{
	struct iovec pieces[SOFT_MAX_SGE];

	for (uint32_t i = 0; i < local->count; i++)
		pieces[i] = (struct iovec){local->piece[i].base, local->piece[i].length};
	return soft_interface_send(pieces, local->count);
}

/* Once for each time that the interface goes down, however many frames are lost. */
static void port_report(struct core_qp *qp, bool is_up)
{
	static int is_down;

	if (__builtin_expect(__atomic_load_n(&is_down, __ATOMIC_RELAXED) != (int)is_up, 1))
		return;
	if (__atomic_exchange_n(&is_down, (int)!is_up, __ATOMIC_RELAXED) == (int)is_up)
		soft_async_raise_port(qp->soft.base.qp_base.context,
				      is_up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
}

int soft_execute_frame(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		       uint32_t *byte_len)
{
	struct pieces local;
	int status, err;

	status = pieces_local(&local, wr, operation->local_access, qp->pd);
	if (status)
		return status;
	if (local.length < FRAME_HEADER_SIZE || local.length > FRAME_MAX)
		return IBV_WC_LOC_LEN_ERR;
	*byte_len = (uint32_t)local.length;
	err = frame_send(&local);
	switch (err) {
	case 0:
		port_report(qp, true /* is up */);
		return IBV_WC_SUCCESS;
	case -ENETDOWN: /* no carrier: lost, as on a wire */
		port_report(qp, false /* is up */);
		return IBV_WC_SUCCESS;
	case -ENXIO: /* removed */
		soft_async_raise_port(qp->soft.base.qp_base.context, IBV_EVENT_DEVICE_FATAL);
		return IBV_WC_FATAL_ERR;
	case -EAGAIN:
		return EXECUTE_WAIT_LOCK;
	case -EMSGSIZE:
		return IBV_WC_LOC_LEN_ERR;
	default:
		return IBV_WC_LOC_QP_OP_ERR;
	}
}
