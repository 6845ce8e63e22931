/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How two ends connect with rdma_cm (-z, -R), and use a separate queue pair as side channel. Called by
 * perftest_communication.c, like net/tcp.h and net/listener.h, with the same errors.
 */
#pragma once

#include "comm/comm.h"

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
