/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An RDMA test with a qperf 0.4.11 peer: over RC, connected with rdma_cm. Without that, the version only supports LIDs,
 * and cannot connect over Ethernet.
 */
#ifndef QPERF_RDMA_CLASSIC_H
#define QPERF_RDMA_CLASSIC_H

#include "loops/run.h"
#include "qperf/control/session.h"
#include "verbs/perftest_resources.h"

/* Connects the QP of open resources, and gets the address and rkey of the peer's memory. 0 or -errno, reported. */
int classic_connect(struct qperf_session *session, struct resources *resources);

/*
 * The ping-pong of rc_rdma_write_poll_lat: each side waits until the first and last byte of its memory have the values
 * that only the other side writes. received: memory of run's message. Has the interface of a loop of loops/run.h.
 */
int classic_poll_ping(struct run *run, bool client, volatile uint8_t *received);

#endif
