// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does any input make the decoder of cmtime's frames read or write where it must not, or accept what it
 * would not write itself? `make fuzz_frame` builds it with libFuzzer; the unit test runs it with fixed inputs.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "cmtime/frame.h"

static void room_for(struct frame *frame, unsigned type)
{
	static struct frame_peer peers[FRAME_MAX_PEERS];
	static struct latency latency;
	static struct conn_totals totals;

	memset(frame, 0, sizeof(*frame));
	if (type == FRAME_PEERS)
		frame->peers.items = peers;
	if (type == FRAME_FIGURES) {
		memset(&latency, 0, sizeof(latency));
		frame->stats.latency = &latency;
	}
	if (type == FRAME_RATES) {
		memset(&totals, 0, sizeof(totals));
		frame->rates.totals = &totals;
	}
}

/* What was accepted is encoded and must be accepted again, to the same bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct frame frame;
	struct message_header header;
	uint8_t *first, *second;
	const char *fault;
	size_t size;

	if (message_peek(&cmtime_messages, bytes, length, &header, &fault) <= 0)
		return 0;
	room_for(&frame, header.type);
	if (frame_decode(&header, bytes + MESSAGE_HEADER_SIZE, &frame, &fault))
		return 0;
	size = frame_encode(&frame, NULL, 0);
	first = malloc(size);
	second = malloc(size);
	if (!first || !second || frame_encode(&frame, first, size) != size ||
	    message_peek(&cmtime_messages, first, size, &header, &fault) != 1)
		abort();
	room_for(&frame, header.type);
	if (frame_decode(&header, first + MESSAGE_HEADER_SIZE, &frame, &fault) ||
	    frame_encode(&frame, second, size) != size || memcmp(first, second, size) != 0)
		abort();
	free(second);
	free(first);
	return 0;
}
