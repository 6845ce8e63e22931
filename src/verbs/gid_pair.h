/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The two ends of a path: can they talk, and how are they called in a message? From the endpoints
 * that both sides have told each other, so that both come to the same answer.
 */
#ifndef VERBS_GID_PAIR_H
#define VERBS_GID_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/endpoint.h"

/*
 * False: why says what keeps them from talking, and names both. ethernet: this side's port is; the kinds of the
 * GIDs may not be known.
 */
bool gid_pair_talks(const struct endpoint *local, const struct endpoint *remote, bool ethernet, char *why, size_t size);
/* "GID 3 ::ffff:10.0.0.1 (RoCE v2)" or "LID 0x12". Returns text. */
const char *gid_pair_end(const struct endpoint *end, char *text, size_t size);
/*
 * Why might packets from one to the other get nowhere, as far as this host can tell? "" where it sees no reason.
 * ifindex: of the local GID's network interface. Returns text.
 */
const char *gid_pair_hint(const struct endpoint *local, const struct endpoint *remote, unsigned ifindex, char *text,
			  size_t size);

#endif
