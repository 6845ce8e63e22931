// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whose client calls `perftest serve`, by its first bytes; and what it is told if it is not served. */
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "cxi/control/wire.h"
#include "front/caller.h"
#include "params/programs.h"
#include "qperf/control/wire.h"
#include "random_numbers.h"
#include "wire_message.h"

#define REASON "all places are taken"

extern const struct message_protocol cmtime_messages; /* cmtime/frame.h, whose words are also those of qperf */

static char words[256];

static int recognize(struct caller_kind *caller, const void *bytes)
{
	words[0] = '\0';
	return caller_recognize(caller, bytes, words, sizeof(words));
}

static void greet(uint8_t bytes[CALLER_BYTES], unsigned program)
{
	const struct wire_greeting greeting = {.text = WIRE_GREETING_TEXT,
					       .native = true,
					       .newest = WIRE_NATIVE_VERSION,
					       .oldest = WIRE_NATIVE_VERSION,
					       .program = (uint8_t)program};

	wire_greeting_encode(&greeting, bytes);
}

TEST(each_program_is_recognized)
{
	struct caller_kind caller;
	uint8_t bytes[CALLER_BYTES];

	for (size_t i = 0; i < num_programs; i++) {
		greet(bytes, 1 + programs[i].id);
		if (programs[i].silent) {
			assert_int_equal(recognize(&caller, bytes), -EBADMSG);
			assert_non_null(strstr(words, "is a raw Ethernet program, whose server needs"));
			continue;
		}
		assert_int_equal(recognize(&caller, bytes), 0);
		assert_int_equal(caller.protocol, CALLER_PERFTEST);
		assert_string_equal(caller.program, programs[i].name);
	}
	assert_int_equal(recognize(&caller, "\0\0\4\0\x0b\0\1\0\0\0\0\0\0\0\0\0"), 0);
	assert_string_equal(caller.program, "qperf");
	assert_int_equal(recognize(&caller, "\x0c\0\0\0cxi_send_bw"), 0);
	assert_string_equal(caller.program, "cxi_send_bw");
	assert_int_equal(recognize(&caller, "PFXB\0\3\0\1\0\0\0\x40zzzz"), 0);
	assert_string_equal(caller.program, "cxi_send_bw");
	assert_int_equal(recognize(&caller, "PFTC\0\3\0\1\0\0\0\x20zzzz"), 0);
	assert_string_equal(caller.program, "cmtime");
	assert_int_equal(recognize(&caller, "6.29\0\0\0\0\0\0\0\0\0\0\0"), 0);
	assert_null(caller.program);
}

TEST(others_are_named)
{
	static const struct {
		const char *bytes, *words;
	} cases[] = {
		{"GET / HTTP/1.1\r\n", "began with \"GET / HTTP/1.1..\", as no program of the suite does"},
		{"6.06\0perftest\4\2\0", "(0)"},
		{"6.06\0perftest\4\2\xff", "(255)"},
		{"\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0", "as no program"},
	};
	struct caller_kind caller;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(recognize(&caller, cases[i].bytes), -EBADMSG);
		assert_non_null(strstr(words, cases[i].words));
	}
}

TEST(any_bytes_are_judged)
{
	struct caller_kind caller;
	uint8_t bytes[CALLER_BYTES];

	for (unsigned i = 0; i < 20000; i++) {
		greet(bytes, i);
		for (unsigned change = 0; change < 1 + i % 4; change++)
			bytes[random_below(CALLER_BYTES)] = (uint8_t)random_below(256);
		if (recognize(&caller, bytes))
			assert_int_not_equal(words[0], '\0');
	}
}

/* What a client that began so receives. */
static size_t refusal_of(const void *began, uint8_t *answer, size_t size)
{
	struct caller_kind caller;
	int ends[2];
	ssize_t length;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(recognize(&caller, began), 0);
	caller_refuse(&caller, ends[0], began, REASON);
	length = recv(ends[1], answer, size, MSG_DONTWAIT);
	assert_true(length >= 0);
	assert_int_equal(recv(ends[1], answer + length, 1, MSG_DONTWAIT), 0); /* the end */
	close(ends[0]);
	close(ends[1]);
	return (size_t)length;
}

TEST(a_refusal_is_in_the_words_of_the_program)
{
	char of_cmtime[] = "PFTC\0\0\0\3\0\0\0\x16\0\x14" REASON; /* without its version */
	uint8_t began[CALLER_BYTES], answer[CXI_FRAME_MAX_SIZE + 1];
	struct wire_greeting greeting;
	struct wire_message message;
	struct message_header header;
	char error[MESSAGE_REASON_SIZE];
	const char *fault;
	size_t length, used;

	greet(began, 3);
	length = refusal_of(began, answer, sizeof(answer) - 1);
	assert_int_equal(wire_greeting_decode(answer, &greeting, &fault), 0);
	assert_int_equal(greeting.program, 0);
	used = WIRE_GREETING_SIZE;
	assert_int_equal(message_peek(&wire_native, answer + used, length - used, &header, &fault), 1);
	assert_int_equal(length, used + MESSAGE_HEADER_SIZE + header.length);
	assert_int_equal(wire_native_decode(&header, answer + used + MESSAGE_HEADER_SIZE, &message, &fault), 0);
	assert_int_equal(message.type, MESSAGE_REFUSE);
	assert_string_equal(message.reason, REASON);

	length = refusal_of("\x0c\0\0\0cxi_send_bw", answer, sizeof(answer) - 1);
	assert_int_equal(message_peek(&cxi_messages, answer, length, &header, &fault), 1);
	assert_int_equal(length, MESSAGE_HEADER_SIZE + header.length);
	assert_int_equal(header.type, MESSAGE_REFUSE);
	assert_int_equal(message_decode_end(&header, answer + MESSAGE_HEADER_SIZE, error, &fault), 0);
	assert_string_equal(error, REASON);

	length = refusal_of("PFTC\0\3\0\1\0\0\0\x20zzzz", answer, sizeof(answer) - 1);
	of_cmtime[5] = (char)cmtime_messages.version;
	assert_int_equal(length, sizeof(of_cmtime) - 1);
	assert_memory_equal(answer, of_cmtime, length);

	length = refusal_of("\0\0\4\0\x71\x70\1\0\0\0\0\0\0\0\0\0", answer, sizeof(answer) - 1);
	assert_memory_equal(answer, wire_hello, HELLO_SIZE);
	assert_int_equal(message_peek(&qperf_messages, answer + HELLO_SIZE, length - HELLO_SIZE, &header, &fault), 1);
	assert_int_equal(header.type, MESSAGE_REFUSE);
	assert_int_equal(
		message_decode(&qperf_messages, &header, answer + HELLO_SIZE + MESSAGE_HEADER_SIZE, error, &fault), 0);
	assert_string_equal(error, REASON);

	/* linux-rdma perftest knows none */
	assert_int_equal(refusal_of("6.06\0\0\0\0\0\0\0\0\0\0\0", answer, sizeof(answer) - 1), 0);
}

TEST_MAIN(NULL, NULL)
