// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does any input make a decoder of qperf's messages read or write where it must not, or yield what its encoder writes
 * in another way? The first byte chooses the message. `make fuzz_qperf` builds it with libFuzzer.
 */
#include "fuzz/fuzz_qperf.h"

#include <stdlib.h>
#include <string.h>

#include "qperf/wire.h"

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
	wire_not_classic(&request.side);
}

static void try_stat(const uint8_t *bytes)
{
	uint8_t first[STAT_SIZE];
	struct account account, again;

	if (wire_read_stat(bytes, &account))
		return;
	must(account.elapsed_s >= 0);
	wire_stat(&account, first);
	must(!wire_read_stat(first, &again));
	must(again.sent.bytes == account.sent.bytes && again.peer_received.errors == account.peer_received.errors);
}

static void try_frame(unsigned type, const uint8_t *bytes, size_t length)
{
	uint8_t first[FRAME_MAX_PAYLOAD];
	struct rdma_side side;
	struct account account;
	struct start start;
	char text[256];

	if (type == FRAME_START && !wire_read_start(bytes, length, &start)) {
		printable(start.side.congestion, sizeof(start.side.congestion));
		must(!wire_read_start(first, wire_start(&start, first), &start));
	}
	if (type == FRAME_ACCOUNT && !wire_read_account(bytes, length, &account)) {
		printable(account.how, sizeof(account.how));
		must(wire_account(&account, first) <= sizeof(first));
	}
	if (type == FRAME_ENDPOINT && !wire_read_endpoint(bytes, length, &side))
		must(!wire_read_endpoint(first, wire_endpoint(&side, first), &side));
	wire_read_text(bytes, length, text, sizeof(text));
	printable(text, sizeof(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct wire_frame_header header;
	struct classic_node node;
	struct conf conf;

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
		if (length >= NODE_SIZE)
			wire_read_node(bytes, &node);
		break;
	case 3:
		wire_read_conf(bytes, length, &conf);
		printable(conf.cpu, sizeof(conf.cpu));
		break;
	default:
		if (length < FRAME_HEADER_SIZE || wire_read_header(bytes, &header))
			break;
		length -= FRAME_HEADER_SIZE;
		try_frame(header.type, bytes + FRAME_HEADER_SIZE, length < header.length ? length : header.length);
	}
	return 0;
}
