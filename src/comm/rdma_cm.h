/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do two ends meet by rdma_cm (-z, -R), and what do they say then over a queue pair of its own?
 * Called by perftest_communication.c, as net/tcp.h and net/listener.h, with the same errors.
 */
#ifndef COMM_RDMA_CM_H
#define COMM_RDMA_CM_H

#include "comm/comm.h"

/*
 * Where rdma_cm was not asked for and can't be had, or would take the port away from TCP, *listener stays as it is and
 * that is no error. 0 or -errno, reported.
 */
int comm_cm_listen(struct rdma_cm_listener **listener, const struct comm_address *address);
void comm_cm_unlisten(struct rdma_cm_listener *listener); /* NULL is allowed */
/* Are its ports those of TCP, so that TCP may not have this one as well? */
bool comm_cm_takes_tcp(const struct rdma_cm_listener *listener); /* NULL: no */
int comm_cm_listener_fd(const struct rdma_cm_listener *listener);
/* As listener_accept(). */
int comm_cm_accept(struct rdma_cm_listener *listener, struct conn *conn);
/* As tcp_connect(). */
int comm_cm_connect(struct conn *conn, const struct comm_address *address, int64_t timeout_ms);

#endif
