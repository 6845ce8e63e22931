// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does any stream of bytes make the decoder of cxi_send_bw's frames read or write where it must not, or yield what its
 * encoder writes in another way; do options that came this way leave a test that can be run? `make fuzz_cxi` builds it
 * with libFuzzer.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "cxi/control/hpe.h"
#include "cxi/control/wire.h"
#include "cxi/parameters.h"

static void must(int condition)
{
	if (!condition)
		abort();
}

static void try_options(const char *text)
{
	struct cxi_params params;
	char reason[OPT_TEXT_SIZE], again[CXI_OPTIONS_SIZE];
	struct sweep sizes;

	must(memchr(text, '\0', CXI_OPTIONS_SIZE) != NULL);
	cxi_params_init(&params);
	if (cxi_options_adopt(&params, text, reason, sizeof(reason)))
		return;
	sizes = cxi_sizes(&params);
	must(sizes.first >= 1 && sizes.first <= sizes.last && sizes.last <= CXI_MAX_SIZE);
	must(sizes.last <= params.buf_size && sweep_count(&sizes, sizes.last) <= SWEEP_MOST_SIZES);
	must(params.list >= 1 && params.list <= CXI_MAX_LIST && params.buf_align >= 1);
	must(!cxi_options_adopt(&params, cxi_options_export(&params, again), reason, sizeof(reason)));
}

static bool decodes(const struct message_header *header, const uint8_t *bytes, struct cxi_frame *frame)
{
	const char *fault;

	memset(frame, 0, sizeof(*frame));
	frame->type = header->type;
	return !message_decode(&cxi_messages, header, bytes + MESSAGE_HEADER_SIZE, frame, &fault);
}

static void try_frame(const struct cxi_frame *frame)
{
	uint8_t bytes[CXI_FRAME_MAX_SIZE];
	struct message_header header;
	struct cxi_frame again;
	const char *fault;
	size_t size;

	size = cxi_frame_encode(frame, bytes);
	must(size <= sizeof(bytes));
	must(message_peek(&cxi_messages, bytes, size, &header, &fault) == 1 && decodes(&header, bytes, &again));
	must(MESSAGE_HEADER_SIZE + header.length == size);
	must(memcmp(frame, &again, sizeof(again)) == 0);
	if (frame->type == MESSAGE_HELLO)
		try_options(frame->hello.options);
}

/* The same bytes as messages of HPE's program, each of which may be anything. */
static void try_hpe(const uint8_t *bytes, size_t length)
{
	char version[HPE_VERSION_SIZE], text[CXI_OPTIONS_SIZE];
	const uint8_t *payload;
	const char *fault = NULL;
	struct cxi_memory memory;
	struct cxi_sent sent;
	size_t size;

	while (hpe_peek(bytes, length, &payload, &size) > 0) {
		must(size <= HPE_MAX_PAYLOAD && size <= length - HPE_HEADER_SIZE);
		if (!hpe_decode_version(payload, size, version))
			must(memchr(version, '\0', sizeof(version)) != NULL);
		if (!hpe_decode_options(payload, size, text, &memory, &fault))
			try_options(text);
		if (size == HPE_RESULT_SIZE && !hpe_decode_result(payload, CXI_MAX_LIST, &sent, &fault))
			must(!sent.finished || sent.elapsed_ns);
		bytes += HPE_HEADER_SIZE + size;
		length -= HPE_HEADER_SIZE + size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct message_header header;
	struct cxi_frame frame;
	const char *fault;

	try_hpe(bytes, length);
	while (message_peek(&cxi_messages, bytes, length, &header, &fault) > 0) {
		if (decodes(&header, bytes, &frame))
			try_frame(&frame);
		bytes += MESSAGE_HEADER_SIZE + header.length;
		length -= MESSAGE_HEADER_SIZE + header.length;
	}
	return 0;
}
