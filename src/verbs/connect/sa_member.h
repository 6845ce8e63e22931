/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Membership of this host's port in multicast groups of its InfiniBand subnet. The subnet administrator keeps the
 * groups; management datagrams (libibumad) ask it to join and to leave. Called by multicast.c. A membership that is not
 * left remains until the subnet manager sees the port go down.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "verbs/connect/sa_record.h"

struct sa_member;

struct sa_group {
	const char *device;
	uint8_t port;
	uint16_t pkey_index;
	uint8_t gid[16];
	bool sends_only;
	uint32_t qkey; /* used if the group is created */
};

/* libibumad's, or stubs that refuse in a build without its headers. */
extern const struct sa_ops {
	/* 0 or -errno, reported. */
	int (*join)(const struct sa_group *group, struct sa_answer *answer, struct sa_member **made);
	/* NULL: nothing to leave. */
	void (*leave)(struct sa_member *member);
} sa_ops;
