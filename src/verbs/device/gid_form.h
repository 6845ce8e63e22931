/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the bits of a GID say: address family and scope. */
#pragma once

#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ::ffff:a.b.c.d, an IPv4-mapped address. */
static inline bool gid_is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(gid->raw, prefix, sizeof(prefix)) == 0;
}

static inline bool gid_is_zero(const union ibv_gid *gid)
{
	static const union ibv_gid zero;

	return memcmp(gid, &zero, sizeof(zero)) == 0;
}

/* fe80::/10, or 169.254.0.0/16 mapped. */
static inline bool gid_is_link_local(const union ibv_gid *gid)
{
	if (gid_is_ipv4(gid))
		return gid->raw[12] == 169 && gid->raw[13] == 254;
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

/* "::ffff:10.0.0.1", for messages. Returns buffer. */
static inline const char *gid_text(const union ibv_gid *gid, char *buffer, size_t size)
{
	if (!inet_ntop(AF_INET6, gid->raw, buffer, (socklen_t)size) && size > 0)
		buffer[0] = '\0';
	return buffer;
}
