// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Encodes requests to the subnet administrator, and decodes its answers. See sa_member.h. */
#include "verbs/connect/sa_member.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define CLASS_SA	0x03
#define CLASS_VERSION	2
#define BASE_VERSION	1
#define METHOD_SET	0x02
#define METHOD_RESPONSE 0x80
#define METHOD_GET_RESP 0x81
#define METHOD_DELETE	0x15
#define ATTRIBUTE	0x0038 /* MCMemberRecord */

/* Offsets in the MAD; the record follows the MAD header, RMPP's and SA's. */
enum {
	AT_CLASS = 1,
	AT_METHOD = 3,
	AT_STATUS = 4,
	AT_NUMBER = 12, /* lower half of the transaction ID; the upper one belongs to the kernel */
	AT_ATTRIBUTE = 16,
	AT_MASK = 48,
	AT_GROUP = 56,
	AT_PORT = AT_GROUP + 16,
	AT_QKEY = AT_GROUP + 32,
	AT_LID = AT_GROUP + 36,
	AT_MTU = AT_GROUP + 38,
	AT_PKEY = AT_GROUP + 40,
	AT_SL = AT_GROUP + 44, /* the upper four bits */
	AT_STATE = AT_GROUP + 48,
	AT_END = AT_GROUP + 52,
};

/* Component mask of the record. */
#define HAS_GROUP      (1U << 0)
#define HAS_PORT       (1U << 1)
#define HAS_QKEY       (1U << 2)
#define HAS_TCLASS     (1U << 6)
#define HAS_PKEY       (1U << 7)
#define HAS_SL	       (1U << 12)
#define HAS_FLOW_LABEL (1U << 13)
#define HAS_STATE      (1U << 16)
#define JOINS	       (HAS_GROUP | HAS_PORT | HAS_STATE)
#define MAKES	       (JOINS | HAS_QKEY | HAS_TCLASS | HAS_PKEY | HAS_SL | HAS_FLOW_LABEL)

#define STATE_FULL_MEMBER 0x1
#define STATE_SEND_ONLY	  0x4

static void write_number(uint8_t *at, unsigned bytes, uint64_t value)
{
	while (bytes--) {
		at[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static uint32_t read_number(const uint8_t *at, unsigned bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static uint8_t method_of(enum sa_order order)
{
	return order == SA_LEAVE || order == SA_LEAVE_SEND ? METHOD_DELETE : METHOD_SET;
}

void sa_record_write(const struct sa_request *request, uint8_t mad[SA_MAD_SIZE])
{
	const bool sends_only = request->order == SA_JOIN_SEND || request->order == SA_LEAVE_SEND;

	memset(mad, 0, SA_MAD_SIZE);
	mad[0] = BASE_VERSION;
	mad[AT_CLASS] = CLASS_SA;
	mad[2] = CLASS_VERSION;
	mad[AT_METHOD] = method_of(request->order);
	write_number(mad + AT_NUMBER, 4, request->number);
	write_number(mad + AT_ATTRIBUTE, 2, ATTRIBUTE);
	write_number(mad + AT_MASK, 8, request->order == SA_JOIN ? MAKES : JOINS);
	memcpy(mad + AT_GROUP, request->group, sizeof(request->group));
	memcpy(mad + AT_PORT, request->port, sizeof(request->port));
	mad[AT_STATE] = sends_only ? STATE_SEND_ONLY : STATE_FULL_MEMBER;
	if (request->order != SA_JOIN)
		return;
	write_number(mad + AT_QKEY, 4, request->qkey);
	write_number(mad + AT_PKEY, 2, request->pkey);
}

int sa_record_read(const uint8_t *mad, size_t size, const struct sa_request *request, struct sa_answer *answer)
{
	const uint8_t method = method_of(request->order);
	const uint8_t expected = method == METHOD_SET ? METHOD_GET_RESP : method | METHOD_RESPONSE;
	unsigned mtu;

	if (size < AT_END || mad[AT_CLASS] != CLASS_SA || mad[AT_METHOD] != expected ||
	    read_number(mad + AT_NUMBER, 4) != request->number || read_number(mad + AT_ATTRIBUTE, 2) != ATTRIBUTE)
		return -EBADMSG;
	mtu = mad[AT_MTU] & 0x3f;
	*answer = (struct sa_answer){
		.status = (uint16_t)read_number(mad + AT_STATUS, 2),
		.lid = (uint16_t)read_number(mad + AT_LID, 2),
		.qkey = read_number(mad + AT_QKEY, 4),
		.mtu = mtu >= 1 && mtu <= 5 ? 128U << mtu : 0,
		.sl = mad[AT_SL] >> 4,
	};
	return 0;
}

const char *sa_status_text(uint16_t status)
{
	static const char *const texts[] = {
		[1] = "it has no resources for another group or member",
		[2] = "the request is invalid: there is no such group, or it has another Q_Key, partition or MTU",
		[3] = "there is no such group",
		[4] = "there are too many records",
		[5] = "the GID of the group or of this port is not valid",
		[6] = "the group does not exist, and the request lacks the components to create it",
		[7] = "it is denied",
	};
	const unsigned of_class = status >> 8;

	if (of_class && of_class < sizeof(texts) / sizeof(texts[0]))
		return texts[of_class];
	return status & 1 ? "it is busy" : "for an unknown reason";
}
