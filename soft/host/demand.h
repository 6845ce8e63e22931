/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Resolves keys whose row has no length: null and implicit regions. See demand.c. */
#pragma once

#include "host/peer.h"

/* As soft_peer_memory() and soft_local_memory(), for keys that these could not resolve. */
void *soft_demand_peer_memory(struct soft_peer *peer, uint32_t key, uint64_t addr, uint64_t length, uint32_t access,
			      uint32_t pd);
void *soft_demand_local_memory(uint32_t key, uint64_t addr, uint64_t length, uint32_t access, uint32_t pd);
