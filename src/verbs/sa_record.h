/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does one say to InfiniBand's subnet administrator to be in a multicast group, and what does it answer? Bytes
 * alone: a MAD with an MCMemberRecord (InfiniBand specification 1.3, 13.4.2, 15.2.1 and 15.2.5.17), for sa_member.c.
 */
#ifndef VERBS_SA_RECORD_H
#define VERBS_SA_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define SA_MAD_SIZE 256

enum sa_order {
	SA_JOIN,      /* and make the group where it is not there */
	SA_JOIN_SEND, /* to send, and receive nothing */
	SA_LEAVE,
	SA_LEAVE_SEND,
};

struct sa_request {
	enum sa_order order;
	uint32_t number; /* the answer has the same */
	uint8_t group[16];
	uint8_t port[16]; /* GID of the port that joins */
	uint16_t pkey;
	uint32_t qkey; /* of a group that is made */
};

struct sa_answer {
	uint16_t status; /* 0: it was done */
	uint16_t lid;	 /* of the group, and what is sent to it must have: */
	uint32_t qkey;
	uint32_t mtu; /* bytes; 0: none that is known */
	uint8_t sl;
};

void sa_record_write(const struct sa_request *request, uint8_t mad[SA_MAD_SIZE]);
/* 0, or -EBADMSG: it is no answer to that request. */
int sa_record_read(const uint8_t *mad, size_t size, const struct sa_request *request, struct sa_answer *answer);
/* What a status means. */
const char *sa_status_text(uint16_t status);

#endif
