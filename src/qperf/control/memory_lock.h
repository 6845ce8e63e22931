/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* May a client's RDMA test use that much of this host's memory? Called by the process that serves the client. */
#pragma once

#include "qperf/control/session.h"
#include "verbs/device/device.h"
#include "verbs/verbs_config.h"

/* To be called once by the server's process, before it accepts a client. */
void memory_lock_open(void);
/*
 * Waits until no other client's process is about to allocate memory, so that the available amount is known. The others
 * then wait until memory_lock_release(). 0 or -errno, reported.
 */
int memory_lock_check(const struct qperf_session *session, const struct verbs_config *config,
		      const struct device *device);
/* The memory was allocated, or is not needed. */
void memory_lock_release(void);
