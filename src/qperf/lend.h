/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* May a client's RDMA test have that much of this host's memory? Asked by the process that serves the client. */
#ifndef QPERF_LEND_H
#define QPERF_LEND_H

#include "qperf/session.h"
#include "verbs/device.h"
#include "verbs/verbs_config.h"

/* Once, by the server's process, before it takes a client in. */
void lend_open(void);
/*
 * Waits until no other client's process is about to take memory, so that what is available is known. Until
 * lend_taken() the others wait. 0 or -errno, reported.
 */
int lend_ask(const struct qperf_session *session, const struct verbs_config *config, const struct device *device);
/* It is taken, or is not needed. */
void lend_taken(void);

#endif
