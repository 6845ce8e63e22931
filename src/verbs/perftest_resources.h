/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The only owner of ibv_* objects. session calls, in this order:
 *
 *   device_open()           early, so that a wrong -d fails before either side waits for the other
 *   resources_open()        pd, buffers, mr, cqs, qps in INIT; the local endpoints
 *   resources_connect()     RTR and RTS, address handles for UD: from the endpoints, or with rdma_cm
 *   resources_prepare()     work requests for one message size
 *   resources_close(), device_close()
 *
 * Every failure is reported once, here, with what was asked of the device and what it allows.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

#include "verbs/device/device.h"
#include "verbs/resources.h"

/* max_size: the largest message of the run (8 MiB with -a). */
int resources_open(struct resources *resources, const struct device *device, const struct verbs_config *config,
		   const struct cm_setup *setup, uint64_t max_size);
int resources_connect(struct resources *resources, const struct endpoint *remote, unsigned num_remote);
/*
 * With -R and a peer of another suite: connects using only what the connections themselves provide. mtu: the peer's, 0:
 * unknown; port: where it listens. Afterwards its endpoints must be copied to resources->remote.
 */
int resources_connect_early(struct resources *resources, uint32_t mtu, uint16_t port);
int resources_learn_remote(struct resources *resources);
/* At the end of such a test both sides disconnect. */
void resources_disconnect(struct resources *resources);
/*
 * Builds the work requests of every queue for messages of this size. No device object is created.
 * -EMSGSIZE: above max_message.
 */
int resources_prepare(struct resources *resources, uint64_t size);
/* Raw Ethernet: lets frames in, once receives are posted. Otherwise does nothing. 0 or -errno, reported. */
int resources_let_in(struct resources *resources);
void resources_close(struct resources *resources);
