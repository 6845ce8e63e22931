/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much memory will a test use on this side? A server checks this before it allocates what a client requests. */
#pragma once

#include <stdint.h>

#include "verbs/device/device.h"

struct demand {
	uint64_t buffers; /* bytes: of the regions, which a device pins */
	uint64_t queues;  /* bytes, estimated: queues, work requests and what --data_validation records */
};

/* For messages up to max_size. 0, or -EMSGSIZE, reported, if --data_validation is impossible. */
int demand_of(const struct verbs_config *config, uint64_t max_size, struct demand *demand);
/*
 * Checks the limits: --max_memory, or otherwise half of the available memory divided by the number of concurrent
 * clients, and what the process may lock. Above them -ENOMEM, with a reason for the users of both sides.
 */
int demand_check(const struct demand *demand, const struct verbs_config *config, const struct device *device,
		 char *reason, size_t size);
