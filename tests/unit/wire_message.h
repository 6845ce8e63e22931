/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Any message, with its type and the struct that it has. */
#pragma once

#include "comm/wire.h"

/* Of the native protocol. */
struct wire_message {
	unsigned type;
	union {
		struct wire_hello hello;
		char reason[MESSAGE_REASON_SIZE];
		struct wire_endpoints endpoints;
		uint32_t tag, missing;
		struct comm_result result;
		struct comm_done done;
		struct comm_round round;
		struct comm_verdict verdict;
		enum series_vote vote;
		struct comm_samples samples;
		struct wire_clock clock;
		char facts[MESSAGE_FACTS_SIZE];
	};
};

static inline size_t wire_native_encode(const struct wire_message *message, uint8_t *bytes, size_t size)
{
	return message_encode(&wire_native, message->type, &message->hello, bytes, size);
}

/* As message_decode(). Where a message has a pointer, the caller sets it before. */
static inline int wire_native_decode(const struct message_header *header, const uint8_t *payload,
				     struct wire_message *message, const char **fault)
{
	message->type = header->type;
	return message_decode(&wire_native, header, payload, &message->hello, fault);
}

/* The same of the classic format. */
struct wire_classic_message {
	enum wire_classic_type type;
	union {
		uint32_t number, mtu;
		struct endpoint keys;
		struct comm_result result;
	};
};
