/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Page and cache line sizes, and what follows from them, in bytes and powers of two. */
#pragma once

#include <stdint.h>

/* A line of the data cache. */
uint64_t host_cache_line(void);
uint64_t host_page(void);
/* Of a pair of hosts, the larger page, by which each lays out its buffers. peer_page 0: unknown, so this host's. */
uint64_t host_common_page(uint32_t peer_page);
/* The range over which small messages cycle in the peer's buffer: as above, but 4096 if the peer's page is unknown. */
uint64_t host_walk(uint32_t peer_page);
