/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of objects/ offer to each other, and to rdma_cm. */
#pragma once

#include "host/core.h"
#include "host/service.h"

/* --- completion queues and channels, shared receive queues, memory regions: functions other than verbs --- */

struct mr_file;

void soft_cq_overrun(uint32_t index);	   /* an initiator found it full */
void soft_cq_free_abandoned(void);	   /* with the tables */
void soft_channel_add(struct core_cq *cq); /* to its channel, and from it; soft_self.lock is held */
void soft_channel_remove(struct core_cq *cq);
void soft_channel_wake(uint32_t cq_index); /* writes an event that an initiator counted and could not write */
/*
 * The descriptor of that channel, which stays open while soft_self.lock, which the caller holds, is held; -1: there is
 * none.
 */
int soft_channel_descriptor(uint32_t number);
void soft_srq_limit_reached(uint32_t queue_index); /* reported by an initiator */

/* Shares pages of an implicit region, until it is deregistered. 0 or a negative errno. */
int soft_mr_demand(uint32_t key, uint64_t start, uint64_t length, bool writes);
/* What a peer needs to map a region that is not in the data file; the caller closes its fd. */
int soft_mr_file(uint32_t key, struct mr_file *file);

/* --- process.c: this process on the host's fabric, and what it shares with its parent --- */

/* Attaches it, and detaches it: counted, by context.c. 0 or a negative errno, reported. */
int soft_process_get(void);
void soft_process_put(void);

/* inherited.c: a forked child's use of what its parent has opened. */
void soft_contexts_add(struct soft_context *context);
void soft_contexts_remove(const struct soft_context *context);
void soft_contexts_inherit(void); /* in the child */
extern pthread_mutex_t soft_contexts_lock SOFT_HIDDEN;

extern const struct service_ops soft_remote_ops SOFT_HIDDEN; /* remote.c: for the service thread */

/* --- qp.c: queue pairs: functions other than verbs --- */

/* qp_type.c has the types. */

extern const struct qp_ops soft_qp_rss_ops SOFT_HIDDEN;
extern const struct qp_ops soft_qp_unordered_ops SOFT_HIDDEN; /* RC */

const struct qp_ops *soft_qp_ops_of(enum ibv_qp_type type); /* NULL: no such queue pairs here */
const struct qp_ops *soft_qp_direct_ops(enum soft_direct type);
/* Checks that the attributes suit the type. 0 or an errno. */
int soft_qp_init_attr_check(const struct ibv_pd *pd, const struct core_xrcd *xrcd, struct ibv_qp_init_attr *attr,
			    const struct qp_ops *ops);
/* Raw packet queue pairs use a network interface, which the first of them opens. */
bool soft_qp_has_interface(const struct qp_ops *ops);
/* 0 or -EINVAL. */
int soft_qp_state_check(uint32_t type, enum ibv_qp_state from, enum ibv_qp_state to, int mask);
int soft_qp_attr_check(struct ibv_context *context, const struct ibv_qp_attr *attr, int mask);

/* qp_modify.c changes the state of a queue pair, for a verb, an error, or a peer. */

/* The peer of queue pairs whose real peer does not exist. */
extern struct soft_peer soft_nobody SOFT_HIDDEN;
extern struct qp_row soft_nobody_row SOFT_HIDDEN;

/* iWARP: from INIT to RTS, by rdma_cm. attr: of both steps. 0 or a negative errno. */
int soft_qp_connect_stream(uint32_t qpn, struct ibv_qp_attr *attr);
void soft_qp_end_stream(uint32_t qpn);				  /* ... and to ERR with the connection */
void soft_qp_error(struct core_qp *qp);				  /* to ERR, flushing both queues; send queue locked */
void soft_qp_notice(uint32_t qpn, uint32_t kind, uint32_t event); /* an initiator changed our queue pair */
void soft_qp_peer_died(struct soft_peer *peer);			  /* fails the queue pairs connected to it */

/*
 * Afterwards no initiator uses our requests, except one that was stopped in the middle of a message; it may still write
 * to that message's buffer when it continues.
 */
void soft_qp_stop(struct core_qp *qp);
void soft_qp_attr_reset(struct core_qp *qp); /* to the values in RESET */
void soft_qp_peers_release(struct core_qp *qp);
void soft_qp_completions_purge(struct core_qp *qp);

/*
 * For struct qp_ops. send_error: UC and UD still receive (IBA 10.3.1.6). connect: returns the accepted initiator. A
 * nonexistent peer is detected by the first request to it, as on a wire. soft_modify_qp() gets the peer beforehand,
 * because it takes seconds to give up on a stopped process, too long under a lock.
 */
void soft_qp_send_error(struct core_qp *qp);
void soft_qp_send_error_pass(struct core_qp *qp); /* for SRD, where only the request fails */
uint32_t soft_qp_connect_peer(struct core_qp *qp);
uint32_t soft_qp_connect_none(struct core_qp *qp);
uint32_t soft_qp_connect_named(struct core_qp *qp);
uint32_t soft_qp_connect_frames(struct core_qp *qp);
