/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which entry of the port's GID table the queue pairs use. */
#ifndef VERBS_GID_H
#define VERBS_GID_H

#include <infiniband/verbs.h>
#include <stdbool.h>

enum gid_kind { GID_IB, GID_ROCE_V1, GID_ROCE_V2 };

/* ::ffff:a.b.c.d, an IPv4 address in the form of a GID. */
bool gid_is_ipv4(const union ibv_gid *gid);
bool gid_is_zero(const union ibv_gid *gid);

/*
 * The automatic choice of an index: the highest score wins, the lowest index among equals.
 * 100 for the wanted address family, 10 for an address that is not link-local, and the RoCE
 * version. Empty entries score -1.
 */
int gid_score(const union ibv_gid *gid, enum gid_kind kind, bool want_ipv6);

/*
 * wanted: an index, or below 0 for the automatic choice. 0, or -EINVAL/-ENOENT after a report that
 * names the device. *index and *gid are written only on success.
 */
int gid_choose(struct ibv_context *context, const char *device, uint8_t port, int table_length, int wanted,
	       bool want_ipv6, int *index, union ibv_gid *gid);

#endif
