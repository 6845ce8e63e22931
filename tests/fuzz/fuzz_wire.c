// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does any input make a decoder read or write where it must not, or accept what it would not
 * write itself? `make fuzz_wire` builds it with libFuzzer; the unit test runs it with fixed inputs.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "comm/wire.h"
#include "stats/latency.h"
#include "unit/wire_message.h"

#define ROOM 64

/* What was accepted is encoded and must be accepted again, to the same bytes. */
static void check_native(const uint8_t *bytes, size_t length)
{
	static struct latency latency;
	struct endpoint items[ROOM];
	struct wire_message message = {.endpoints = {.items = items, .capacity = ROOM}};
	struct message_header header;
	uint8_t *first, *second;
	const char *fault;
	size_t size;

	if (message_peek(&wire_native, bytes, length, &header, &fault) <= 0)
		return;
	if (header.type == WIRE_SAMPLES)
		message = (struct wire_message){.samples.latency = &latency};
	latency = (struct latency){.min = 0};
	if (wire_native_decode(&header, bytes + MESSAGE_HEADER_SIZE, &message, &fault))
		return;
	if (message.type == MESSAGE_ENDPOINTS && message.endpoints.count > ROOM)
		return;
	size = wire_native_encode(&message, NULL, 0);
	first = malloc(size);
	second = malloc(size);
	if (!first || !second || wire_native_encode(&message, first, size) != size ||
	    message_peek(&wire_native, first, size, &header, &fault) != 1 ||
	    wire_native_decode(&header, first + MESSAGE_HEADER_SIZE, &message, &fault) ||
	    wire_native_encode(&message, second, size) != size || memcmp(first, second, size) != 0)
		abort();
	free(second);
	free(first);
}

static void check_classic(const uint8_t *bytes, size_t length)
{
	for (int type = WIRE_CLASSIC_NUMBER; type <= WIRE_CLASSIC_PORTS; type++) {
		struct wire_classic_message message = {.type = type}, again = message;
		uint8_t made[WIRE_CLASSIC_MAX_SIZE];
		const char *fault;

		wire_classic_keys_misfit(type, bytes, length);
		if (length < wire_classic_size(type) || wire_classic_decode(type, bytes, &message.keys, &fault))
			continue;
		/* What is taken for keys is not called something else. */
		if ((type == WIRE_CLASSIC_KEYS || type == WIRE_CLASSIC_KEYS_GID) &&
		    wire_classic_keys_misfit(type, bytes, wire_classic_size(type)))
			abort();
		wire_classic_encode(type, &message.keys, made);
		if (wire_classic_decode(type, made, &again.keys, &fault))
			abort();
	}
}

static void check_greeting(const uint8_t *bytes, size_t length)
{
	struct wire_greeting greeting, again;
	uint8_t made[WIRE_GREETING_SIZE];
	const char *fault;

	if (length < WIRE_GREETING_SIZE || wire_greeting_decode(bytes, &greeting, &fault))
		return;
	wire_greeting_encode(&greeting, made);
	if (wire_greeting_decode(made, &again, &fault) || again.native != greeting.native ||
	    again.version != greeting.version)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	check_greeting(bytes, length);
	check_native(bytes, length);
	check_classic(bytes, length);
	return 0;
}
