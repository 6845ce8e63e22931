/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How does a queue pair change its state, by a verb, by an error, or by what a peer did? See qp_modify.c. */
#ifndef SOFT_QP_MODIFY_H
#define SOFT_QP_MODIFY_H

#include "host/core.h"

/* Where queue pairs are connected whose peer does not exist. */
extern struct soft_peer soft_nobody SOFT_HIDDEN;
extern struct qp_row soft_nobody_row SOFT_HIDDEN;

void soft_qp_error(struct core_qp *qp);				  /* to ERR, both queues flushed; send queue locked */
void soft_qp_notice(uint32_t qpn, uint32_t kind, uint32_t event); /* what an initiator did to ours */
void soft_qp_peer_died(struct soft_peer *peer);			  /* fails what is connected to it */

/*
 * After this no initiator has anything of ours in hand, but one that was stopped in the middle of a message; that one
 * may still write to the buffer of it when it goes on.
 */
void soft_qp_stop(struct core_qp *qp);
void soft_qp_attr_reset(struct core_qp *qp); /* to what it has in RESET */
void soft_qp_peers_release(struct core_qp *qp);
void soft_qp_completions_purge(struct core_qp *qp);

/*
 * For struct qp_ops. send_error: UC and UD go on receiving (IBA 10.3.1.6). connect: whom it accepts. A peer that does
 * not exist is found out when something is sent to it, as on a wire. One that does is held by soft_modify_qp(), because
 * a process that is stopped takes seconds to be given up, too long for a lock.
 */
void soft_qp_send_error(struct core_qp *qp);
void soft_qp_send_error_pass(struct core_qp *qp); /* of SRD the request alone has failed */
uint32_t soft_qp_connect_peer(struct core_qp *qp);
uint32_t soft_qp_connect_none(struct core_qp *qp);
uint32_t soft_qp_connect_named(struct core_qp *qp);
uint32_t soft_qp_connect_frames(struct core_qp *qp);

#endif
