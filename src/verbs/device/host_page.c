// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See host_page.h. */
#include "verbs/device/host_page.h"

#include <unistd.h>

uint64_t host_cache_line(void)
{
	long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);

	return line >= 16 && (line & (line - 1)) == 0 ? (uint64_t)line : 64;
}

uint64_t host_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t host_common_page(uint32_t peer_page)
{
	return peer_page > host_page() ? peer_page : host_page();
}

uint64_t host_walk(uint32_t peer_page)
{
	/* No host has smaller pages. */
	return peer_page ? host_common_page(peer_page) : 4096;
}
