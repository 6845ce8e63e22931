/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much memory will a test take on this side? A server asks before it takes it on a client's word. */
#ifndef VERBS_DEMAND_H
#define VERBS_DEMAND_H

#include <stdint.h>

#include "verbs/device.h"

struct demand {
	uint64_t buffers; /* bytes: of the regions, which a device pins */
	uint64_t queues;  /* bytes, about: of queues, work requests and what --data_validation notes */
};

/* For messages up to max_size. 0, or -EMSGSIZE, reported, where
 * --data_validation can't work. */
int demand_of(const struct verbs_config *config, uint64_t max_size, struct demand *demand);
/*
 * Is it more than this host lends to a client: --max_memory, or else half of what is available, by the number of
 * clients at a time, and no more than the process may lock? Then -ENOMEM, and reason says so for both users.
 */
int demand_check(const struct demand *demand, const struct verbs_config *config, const struct device *device,
		 char *reason, size_t size);

#endif
