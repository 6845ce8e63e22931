/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Membership of this host's port in multicast groups of its InfiniBand subnet. The subnet administrator keeps the
 * groups; management datagrams (libibumad) ask it to join and to leave. Called by multicast.c. A membership that is not
 * left remains until the subnet manager sees the port go down.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * --- sa_record.c ---
 *
 * Encodes requests to InfiniBand's subnet administrator to join and leave a multicast group, and decodes its answers: a
 * MAD with an MCMemberRecord (InfiniBand specification 1.3, 13.4.2, 15.2.1 and 15.2.5.17). Does no I/O.
 */

#define SA_MAD_SIZE 256

enum sa_order {
	SA_JOIN,      /* and create the group if it does not exist */
	SA_JOIN_SEND, /* to send only */
	SA_LEAVE,
	SA_LEAVE_SEND,
};

struct sa_request {
	enum sa_order order;
	uint32_t number; /* the answer carries the same number */
	uint8_t group[16];
	uint8_t port[16]; /* GID of the port that joins */
	uint16_t pkey;
	uint32_t qkey; /* used if the group is created */
};

struct sa_answer {
	uint16_t status; /* 0: success */
	uint16_t lid;	 /* LID of the group; the rest applies to messages to it: */
	uint32_t qkey;
	uint32_t mtu; /* bytes; 0: unknown */
	uint8_t sl;
};

void sa_record_write(const struct sa_request *request, uint8_t mad[SA_MAD_SIZE]);
/* 0, or -EBADMSG: not an answer to that request. */
int sa_record_read(const uint8_t *mad, size_t size, const struct sa_request *request, struct sa_answer *answer);
/* What a status means. */
const char *sa_status_text(uint16_t status);

/* --- sa_member.c --- */

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
