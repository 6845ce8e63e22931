/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Units of this host's memory, in bytes and powers of two. */
#ifndef VERBS_HOST_PAGE_H
#define VERBS_HOST_PAGE_H

#include <stdint.h>

/* A line of the data cache. */
uint64_t host_cache_line(void);
uint64_t host_page(void);
/* Of a pair of hosts: each lays out its buffers by the larger one. 0: the peer's is not known, so by this host's. */
uint64_t host_common_page(uint32_t peer_page);
/* So far small messages walk over a buffer of the peer: the same, but 4096 where the peer's page is not known. */
uint64_t host_walk(uint32_t peer_page);

#endif
