/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the bits of a GID say: address family and scope. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

/* ::ffff:a.b.c.d, an IPv4-mapped address. */
bool gid_is_ipv4(const union ibv_gid *gid);
bool gid_is_zero(const union ibv_gid *gid);
/* fe80::/10, or 169.254.0.0/16 mapped. */
bool gid_is_link_local(const union ibv_gid *gid);
/* "::ffff:10.0.0.1", for messages. Returns buffer. */
const char *gid_text(const union ibv_gid *gid, char *buffer, size_t size);
