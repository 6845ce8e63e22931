// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does any input make a decoder of qperf's messages read or write where it must not, or yield what its encoder writes
 * in another way? The first byte chooses the message. `make fuzz_qperf` builds it with libFuzzer.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "qperf/control/wire.h"

static void must(int condition)
{
	if (!condition)
		abort();
}

static void printable(const char *text, size_t size)
{
	must(memchr(text, '\0', size) != NULL);
	for (; *text; text++)
		must(*text >= ' ' && *text < 0x7f);
}

static void try_request(const uint8_t *bytes)
{
	uint8_t first[REQUEST_SIZE], second[REQUEST_SIZE];
	struct request request, again;

	if (wire_read_request(bytes, &request))
		return;
	printable(request.side.id, sizeof(request.side.id));
	wire_request(&request, first);
	must(!wire_read_request(first, &again));
	wire_request(&again, second);
	must(memcmp(first, second, sizeof(first)) == 0);
}

static void try_stat(const uint8_t *bytes)
{
	const struct codec *stat = &qperf_classic[MESSAGE_RESULT].codec;
	uint8_t first[STAT_SIZE];
	struct codec_reader reader = {.bytes = bytes, .left = STAT_SIZE}, reread = {.bytes = first, .left = STAT_SIZE};
	struct account account = {0}, again = {0};

	if (codec_decode(stat, &reader, &account))
		return;
	must(account.elapsed_s >= 0);
	must(codec_encode(stat, &account, first) == STAT_SIZE);
	must(!codec_decode(stat, &reread, &again));
	must(again.sent.bytes == account.sent.bytes && again.peer_received.errors == account.peer_received.errors);
}

static void try_frame(const uint8_t *bytes, size_t length)
{
	static union {
		struct start start;
		struct rdma_side side;
		struct account account;
		struct conf conf;
		char error[MESSAGE_REASON_SIZE];
		char facts[MESSAGE_FACTS_SIZE];
		struct qperf_origin origin;
		uint32_t port;
		uint8_t stopped;
	} one;
	uint8_t first[FRAME_MAX_SIZE];
	struct message_header header;
	const char *fault;
	char text[256];
	size_t size;

	wire_read_text(bytes, length, text, sizeof(text));
	printable(text, sizeof(text));
	if (message_peek(&qperf_messages, bytes, length, &header, &fault) <= 0 ||
	    message_decode(&qperf_messages, &header, bytes + MESSAGE_HEADER_SIZE, &one, &fault))
		return;
	if (header.type == MESSAGE_HELLO)
		printable(one.start.side.congestion, sizeof(one.start.side.congestion));
	if (header.type == FRAME_ORIGIN)
		printable(one.origin.host, sizeof(one.origin.host));
	if (header.type == MESSAGE_RESULT)
		printable(one.account.how, sizeof(one.account.how));
	size = message_encode(&qperf_messages, header.type, &one, first, sizeof(first));
	must(size <= sizeof(first));
	must(message_peek(&qperf_messages, first, size, &header, &fault) == 1);
	must(!message_decode(&qperf_messages, &header, first + MESSAGE_HEADER_SIZE, &one, &fault));
}

static void try_classic(unsigned type, const uint8_t *bytes, size_t length)
{
	const struct message_row *row = &qperf_classic[type];
	struct codec_reader reader = {.bytes = bytes, .left = length};
	union {
		struct classic_node node;
		struct conf conf;
	} one = {0};
	uint8_t again[CONF_SIZE];

	if (codec_decode(&row->codec, &reader, &one))
		return;
	must(length - reader.left == row->limit && codec_encode(&row->codec, &one, again) == row->limit);
	if (type == FRAME_CONF)
		printable(one.conf.cpu, sizeof(one.conf.cpu));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	if (!length)
		return 0;
	bytes++;
	length--;
	switch (bytes[-1] % 8) {
	case 0:
		if (length >= REQUEST_SIZE)
			try_request(bytes);
		break;
	case 1:
		if (length >= STAT_SIZE)
			try_stat(bytes);
		break;
	case 2:
		try_classic(MESSAGE_ENDPOINTS, bytes, length);
		break;
	case 3:
		try_classic(FRAME_CONF, bytes, length);
		break;
	default:
		try_frame(bytes, length);
	}
	return 0;
}
