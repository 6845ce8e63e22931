/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The two ends of a path: can they communicate, and how do messages name them? Based only on the exchanged endpoints,
 * so that both sides get the same result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/endpoint.h"

/*
 * False: why explains, naming both ends. ethernet: this side's port is Ethernet; the types of the GIDs may be unknown.
 */
bool gid_pair_talks(const struct endpoint *local, const struct endpoint *remote, bool ethernet, char *why, size_t size);
/* "GID 3 ::ffff:10.0.0.1 (RoCE v2)" or "LID 0x12". Returns text. */
const char *gid_pair_end(const struct endpoint *end, char *text, size_t size);
/*
 * Why packets between them might get lost, as far as this host can tell; "" if it sees no reason. ifindex: network
 * interface of the local GID. Returns text.
 */
const char *gid_pair_hint(const struct endpoint *local, const struct endpoint *remote, unsigned ifindex, char *text,
			  size_t size);
