/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Page and cache line sizes, and what follows from them, in bytes and powers of two. */
#pragma once

#include <stdint.h>
#include <unistd.h>

/* A line of the data cache. */
static inline uint64_t host_cache_line(void)
{
	long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);

	return line >= 16 && (line & (line - 1)) == 0 ? (uint64_t)line : 64;
}

static inline uint64_t host_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Of a pair of hosts, the larger page, by which each lays out its buffers. peer_page 0: unknown, so this host's. */
static inline uint64_t host_common_page(uint32_t peer_page)
{
	return peer_page > host_page() ? peer_page : host_page();
}

/* The range over which small messages cycle in the peer's buffer: as above, but 4096 if the peer's page is unknown. */
static inline uint64_t host_walk(uint32_t peer_page)
{
	/* No host has smaller pages. */
	return peer_page ? host_common_page(peer_page) : 4096;
}
