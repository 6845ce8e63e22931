// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are the bytes those of qperf 0.4.11, and can no bytes do harm? The request was captured from Debian's client. */
#include "cmocka_all.h"
#include "fuzz/corpus.h"
#include "fuzz/fuzz.h"
#include "qperf/control/wire.h"
#include "qperf/options/options.h"

/* qperf 127.0.0.1 -m 64K -t 3 -ip 77 -cm1 -i mlx5_0:1 -sr 4xSDR -ca 2 tcp_lat */
static const uint8_t captured[] = {
	0,   0,	  4,   0,   11,	 0,   9,   0,				/* 0.4.11, tcp_lat */
	0,   0,	  0,   0,   2,	 0,   0,   0,	0, 0, 0, 0, 0, 0, 0, 0, /* access_recv, affinity, alt_port, flip */
	0,   0,	  1,   0,   0,	 0,   0,   0,	0, 0, 0, 0, 0, 0, 0, 0, /* msg_size, mtu_size, no_msgs, poll_mode */
	77,  0,	  0,   0,   0,	 0,   0,   0,	0, 0, 0, 0, 0, 0, 0, 0, /* port, rd_atomic, sl, sock_buf_size */
	0,   0,	  0,   0,   3,	 0,   0,   0,	5, 0, 0, 0, 1, 0, 0, 0, /* src_path_bits, time, timeout, use_cm */
	'm', 'l', 'x', '5', '_', '0', ':', '1',
};

TEST(requests_are_those_of_old)
{
	uint8_t bytes[REQUEST_SIZE] = {0}, again[REQUEST_SIZE];
	struct request request;

	memcpy(bytes, captured, sizeof(captured));
	memcpy(bytes + 136, "4xSDR", 5);
	assert_int_equal(wire_read_request(bytes, &request), 0);
	assert_int_equal(request.increment, REQUEST_INCREMENT);
	assert_int_equal(request.test, 9);
	assert_int_equal(request.side.number[PARAM_MSG_SIZE], 65536);
	assert_int_equal(request.side.number[PARAM_AFFINITY], 2);
	assert_int_equal(request.side.number[PARAM_TIME], 3 * NS_PER_S);
	assert_int_equal(request.side.number[PARAM_PORT], 77);
	assert_string_equal(request.side.id, "mlx5_0:1");
	assert_string_equal(request.side.static_rate, "4xSDR");
	wire_request(&request, again);
	assert_memory_equal(bytes, again, sizeof(bytes));
	bytes[2] = 3; /* 0.3 */
	assert_int_equal(wire_read_request(bytes, &request), -EPROTO);
}

/* What has no end is cut, and what could move a terminal's cursor is not there any more. */
TEST(texts_are_tamed)
{
	uint8_t bytes[REQUEST_SIZE] = {0, 0, 4, 0};
	struct request request;

	memset(bytes + 72, 'x', 128);
	memcpy(bytes + 72, "\x1b[2J\x07\xff", 6);
	assert_int_equal(wire_read_request(bytes, &request), 0);
	assert_int_equal(strlen(request.side.id), PARAM_TEXT_SIZE - 1);
	assert_memory_equal(request.side.id, "?[2J??xx", 8);
}

static void passes(unsigned type, const void *from, void *into)
{
	uint8_t bytes[FRAME_MAX_SIZE];
	const size_t size = message_encode(&qperf_messages, type, from, bytes, sizeof(bytes));
	struct message_header header;
	const char *fault;

	assert_int_equal(message_peek(&qperf_messages, bytes, size, &header, &fault), 1);
	assert_int_equal(message_decode(&qperf_messages, &header, bytes + MESSAGE_HEADER_SIZE, into, &fault), 0);
}

TEST(accounts_travel_both_ways)
{
	const struct account account = {
		.elapsed_s = 2.0034567,
		.cpus = 2,
		.user_s = 1.5,
		.intr_s = 0.25,
		.kernel_s = 0.75,
		.iowait_s = 0.01,
		.sent = {1ULL << 40, 77, 3},
		.received = {5, 6, 7},
		.peer_sent = {8, 9, 10},
		.peer_received = {11, 12, 13},
		.max_cqes = 1024,
		.process_user_s = 0.125,
		.lost = 9,
		.late_sent = 21,
		.late_received = 22,
		.spins = 1,
		.no_counter = 1,
		.run_delay_s = 0.25,
		.sampled = 23,
		.sampled_s = 0.5,
		.congestion = "bbr",
		.how = "write",
	};
	const struct codec *stat = &qperf_classic[MESSAGE_RESULT].codec;
	uint8_t bytes[STAT_SIZE];
	struct codec_reader reader = {.bytes = bytes, .left = sizeof(bytes)}, again = reader;
	struct account read = {0};

	assert_int_equal(codec_encode(stat, &account, bytes), STAT_SIZE);
	assert_int_equal(codec_decode(stat, &reader, &read), 0);
	assert_true(read.elapsed_s > 2.003455 && read.elapsed_s < 2.003457); /* microseconds */
	assert_true(read.kernel_s == 0.75 && read.user_s == 1.5 && read.intr_s == 0.25);
	assert_int_equal(read.sent.bytes, 1ULL << 40);
	assert_int_equal(read.peer_received.errors, 13);
	assert_int_equal(read.max_cqes, 1024);
	assert_false(read.has_details);
	memset(bytes + 4, 0, 4); /* no ticks a second */
	assert_int_equal(codec_decode(stat, &again, &read), -EBADMSG);

	passes(MESSAGE_RESULT, &account, &read);
	assert_true(read.elapsed_s == account.elapsed_s && read.spins == 1 && read.no_counter == 1);
	assert_string_equal(read.congestion, "bbr");
	assert_true(read.late_sent == 21 && read.late_received == 22 && read.run_delay_s == 0.25);
	assert_true(read.sampled == 23 && read.sampled_s == 0.5);
	assert_int_equal(read.lost, 9);
}

TEST(endpoints_are_bounded)
{
	const struct rdma_side side = {
		.endpoint = {.lid = 7, .qpn = 0x123456, .vaddr = 0x7f0000001000, .gid = {1, 2, 3}},
		.site = {.is_software = true, .uid = 1000, .device = "soft0", .boot = "b"},
		.host = "alpha"};
	uint8_t bytes[FRAME_MAX_SIZE];
	const size_t size = message_encode(&qperf_messages, MESSAGE_ENDPOINTS, &side, bytes, sizeof(bytes));
	struct rdma_side read = {0};
	struct message_header header;
	const char *fault;

	passes(MESSAGE_ENDPOINTS, &side, &read);
	assert_memory_equal(&read, &side, sizeof(read));
	bytes[MESSAGE_HEADER_SIZE + 9] = 1; /* a LID of 65543 */
	assert_int_equal(message_peek(&qperf_messages, bytes, size, &header, &fault), 1);
	assert_int_equal(message_decode(&qperf_messages, &header, bytes + MESSAGE_HEADER_SIZE, &read, &fault), -EPROTO);
}

TEST(a_run_and_its_server_are_sent)
{
	const struct start start = {.test = 9, .run_id = {{1, 2, 3}}};
	const struct qperf_origin origin = {.host = "alpha", .version = "7.0", .provenance = "{\"device\":null}\n"};
	static struct qperf_origin read, big;
	struct start again = {0};
	uint8_t bytes[FRAME_MAX_SIZE];

	passes(MESSAGE_HELLO, &start, &again);
	assert_memory_equal(&again.run_id, &start.run_id, sizeof(again.run_id));
	passes(FRAME_ORIGIN, &origin, &read);
	assert_memory_equal(&read, &origin, sizeof(read));
	memset(big.provenance, 'x', sizeof(big.provenance) - 1);
	passes(FRAME_ORIGIN, &big, &read);
	assert_string_equal(read.provenance, big.provenance);
	assert_true(message_encode(&qperf_messages, FRAME_ORIGIN, &big, bytes, sizeof(bytes)) <= sizeof(bytes));
}

TEST(what_the_old_server_does_not_know)
{
	struct qperf_side side = {.number = {[PARAM_TIME] = 2 * NS_PER_S, [PARAM_MSG_SIZE] = UINT32_MAX}};

	assert_null(rules_not_classic(test_find("tcp_bw"), &side));
	side.number[PARAM_MSG_SIZE]++;
	assert_non_null(rules_not_classic(test_find("tcp_bw"), &side));
	side.number[PARAM_MSG_SIZE] = 1;
	side.number[PARAM_TIME] = NS_PER_S / 2;
	assert_non_null(rules_not_classic(test_find("tcp_bw"), &side));
	side.number[PARAM_TIME] = 0;
	side.number[PARAM_SPIN] = 1;
	assert_non_null(rules_not_classic(test_find("tcp_bw"), &side));
}

TEST(corpus_does_no_harm)
{
	assert_true(corpus_replay("fuzz_qperf", LLVMFuzzerTestOneInput) >= 5);
	assert_true(corpus_replay_damaged("fuzz_qperf", LLVMFuzzerTestOneInput) >= 5);
}

TEST_MAIN(NULL, NULL)
