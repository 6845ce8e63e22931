/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An RDMA test whose other end is qperf 0.4.11: over RC, and connected with rdma_cm. Without it that version knows LIDs
 * alone, and connects nothing over Ethernet.
 */
#ifndef QPERF_RDMA_CLASSIC_H
#define QPERF_RDMA_CLASSIC_H

#include "loops/run.h"
#include "qperf/session.h"
#include "verbs/perftest_resources.h"

/* Connects the queue pair of opened resources, and learns what it may write or read. 0 or -errno, reported. */
int classic_connect(struct qperf_session *session, struct resources *resources);

/*
 * The ping-pong of rc_rdma_write_poll_lat: each side waits until the first and last byte of its memory are those that
 * only the other one writes. received: memory of run's message. As a loop of loops/run.h.
 */
int classic_poll_ping(struct run *run, bool client, volatile uint8_t *received);

#endif
