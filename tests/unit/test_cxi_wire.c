// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Do frames survive a round trip, and can no bytes do harm? */
#include "cmocka_all.h"
#include "cxi/control/channel.h"
#include "cxi/control/wire.h"
#include "fuzz/corpus.h"
#include "fuzz/fuzz.h"

/* As message_peek() and message_decode(). */
static int peek(const uint8_t *bytes, size_t count, struct cxi_frame *frame, const char **fault)
{
	struct message_header header;
	const int ret = message_peek(&cxi_messages, bytes, count, &header, fault);

	memset(frame, 0, sizeof(*frame));
	frame->type = header.type;
	if (ret <= 0)
		return ret;
	return message_decode(&cxi_messages, &header, bytes + MESSAGE_HEADER_SIZE, frame, fault) ? -EPROTO : 1;
}

static size_t there_and_back(const struct cxi_frame *frame, uint8_t bytes[CXI_FRAME_MAX_SIZE])
{
	const size_t size = cxi_frame_encode(frame, bytes);
	struct cxi_frame again;
	uint8_t bytes_again[CXI_FRAME_MAX_SIZE];
	const char *fault = NULL;

	assert_in_range(size, MESSAGE_HEADER_SIZE, CXI_FRAME_MAX_SIZE);
	for (size_t part = 0; part < size; part++)
		assert_int_equal(peek(bytes, part, &again, &fault), 0);
	assert_int_equal(peek(bytes, size, &again, &fault), 1);
	/* By its bytes: a struct has some between its members, too. */
	assert_int_equal(again.type, frame->type);
	assert_int_equal(cxi_frame_encode(&again, bytes_again), size);
	assert_memory_equal(bytes_again, bytes, size);
	return size;
}

TEST(frames_come_back)
{
	struct cxi_frame frame = {.type = MESSAGE_HELLO,
				  .hello = {.transport = "libcxi",
					    .run_id = {{1, [15] = 2}},
					    .gathers = 1,
					    .options = "size=1\niters=2\n"}};
	uint8_t bytes[CXI_FRAME_MAX_SIZE];

	there_and_back(&frame, bytes);
	assert_memory_equal(bytes,
			    "PFXB\0\6\0\1\0\0\0\x2d\0\6libcxi"
			    "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2"
			    "\0\0\0\1"
			    "\0\x0fsize=1\niters=2\n",
			    57);
	frame = (struct cxi_frame){.type = MESSAGE_ENDPOINTS};
	frame.introduction.address.length = CXI_ADDRESS_SIZE;
	memset(frame.introduction.address.bytes, 0xff, CXI_ADDRESS_SIZE);
	strcpy(frame.introduction.memory.tx, "GPU 1");
	strcpy(frame.introduction.version, "7.0");
	memset(frame.introduction.provenance, '{', PROVENANCE_SIZE - 1);
	there_and_back(&frame, bytes);
	frame = (struct cxi_frame){.type = MESSAGE_BARRIER, .barrier = 0xfedcba98};
	there_and_back(&frame, bytes);
	assert_memory_equal(bytes + MESSAGE_HEADER_SIZE, "\xfe\xdc\xba\x98", 4);
	frame = (struct cxi_frame){.type = MESSAGE_ALIVE};
	assert_int_equal(there_and_back(&frame, bytes), MESSAGE_HEADER_SIZE);
	frame = (struct cxi_frame){.type = MESSAGE_RESULT, .sent = {UINT64_MAX, 1, 2}};
	there_and_back(&frame, bytes);
	frame = (struct cxi_frame){.type = CXI_FRAME_CHECKED, .checked = {5, 5}};
	there_and_back(&frame, bytes);
	frame = (struct cxi_frame){.type = MESSAGE_VOTE, .vote = SERIES_NO_MORE};
	assert_int_equal(there_and_back(&frame, bytes), MESSAGE_HEADER_SIZE + 4);
	frame = (struct cxi_frame){.type = MESSAGE_FACTS};
	memset(frame.facts, 'x', sizeof(frame.facts) - 1);
	there_and_back(&frame, bytes);
	frame = (struct cxi_frame){.type = CXI_FRAME_WAIT, .missing = 3};
	assert_int_equal(there_and_back(&frame, bytes), MESSAGE_HEADER_SIZE + 4);
	frame = (struct cxi_frame){.type = MESSAGE_ABORT};
	memset(frame.refusal, 'x', sizeof(frame.refusal) - 1);
	there_and_back(&frame, bytes);
}

/* An offset of a hello, what stands there instead, and a word of the fault. */
static const struct {
	size_t at;
	uint8_t byte;
	const char *word;
} spoiled[] = {
	{0, 'H', "not a message"}, {5, 1, "of another version"},
	{7, 0, "unknown"},	   {7, CXI_FRAME_TYPES, "unknown"},
	{9, 1, "too long"},	   {11, 0x19, "cut short"},
	{12, 0x80, "too long"},	   {14, 0, "NUL"},
	{36, 0x80, "flag"},	   {40, 0x80, "too long"},
};

TEST(what_is_spoiled_is_named)
{
	const struct cxi_frame hello = {.type = MESSAGE_HELLO, .hello.transport = "libcxi"};

	for (unsigned i = 0; i < sizeof(spoiled) / sizeof(spoiled[0]); i++) {
		uint8_t bytes[CXI_FRAME_MAX_SIZE] = {0};
		struct cxi_frame frame;
		const char *fault = NULL;

		cxi_frame_encode(&hello, bytes);
		bytes[spoiled[i].at] = spoiled[i].byte;
		assert_true(peek(bytes, sizeof(bytes), &frame, &fault) < 0);
		assert_non_null(strstr(fault, spoiled[i].word));
	}
}

TEST(a_provenance_that_is_too_long_is_refused)
{
	const struct cxi_frame frame = {.type = MESSAGE_ENDPOINTS, .introduction.address = {1, {1}}};
	struct cxi_frame read;
	uint8_t bytes[CXI_FRAME_MAX_SIZE] = {0};
	const char *fault = NULL;
	const size_t size = cxi_frame_encode(&frame, bytes);

	bytes[size - 2] = PROVENANCE_SIZE >> 8;
	bytes[10] = (PROVENANCE_SIZE + size - MESSAGE_HEADER_SIZE) >> 8;
	bytes[11] = (uint8_t)(PROVENANCE_SIZE + size - MESSAGE_HEADER_SIZE);
	memset(bytes + size, 'x', PROVENANCE_SIZE);
	assert_int_equal(peek(bytes, size + PROVENANCE_SIZE, &read, &fault), -EPROTO);
	assert_string_equal(fault, "its provenance is too long");
}

TEST(counts_that_cannot_be)
{
	const struct cxi_frame frames[] = {
		{.type = MESSAGE_RESULT, .sent = {1, 2, 3}},
		{.type = MESSAGE_RESULT, .sent = {2, 2, 0}},
		{.type = CXI_FRAME_CHECKED, .checked = {1, 2}},
		{.type = MESSAGE_ENDPOINTS},
		{.type = MESSAGE_VOTE, .vote = (enum series_vote)(SERIES_NO_MORE + 1)},
	};

	for (unsigned i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		uint8_t bytes[CXI_FRAME_MAX_SIZE];
		struct cxi_frame frame;
		const char *fault;

		cxi_frame_encode(&frames[i], bytes);
		assert_int_equal(peek(bytes, sizeof(bytes), &frame, &fault), -EPROTO);
	}
}

TEST(transports_are_compared)
{
	char reason[256];

	assert_int_equal(cxi_transports_check("libcxi", "libcxi", reason, sizeof(reason)), 0);
	assert_int_equal(cxi_transports_check("libfabric shm", "libcxi", reason, sizeof(reason)), -EPROTO);
	assert_non_null(strstr(reason, "the client sends with libfabric shm and the server with libcxi"));
}

TEST(the_corpus_does_no_harm)
{
	assert_true(corpus_replay("fuzz_cxi", LLVMFuzzerTestOneInput) > 5);
	assert_true(corpus_replay_damaged("fuzz_cxi", LLVMFuzzerTestOneInput) > 5);
}

TEST_MAIN(NULL, NULL)
