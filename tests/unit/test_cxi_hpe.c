// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are the messages of HPE's program those that it sends and expects, byte by byte, and can no bytes do harm? */
#include "cmocka_all.h"
#include "cxi/control/hpe.h"

TEST(messages_have_a_length)
{
	uint8_t bytes[HPE_MAX_SIZE];
	const uint8_t *payload;
	size_t length;

	assert_int_equal(hpe_encode(HPE_NAME, sizeof(HPE_NAME), bytes), 16);
	assert_memory_equal(bytes, "\x0c\0\0\0cxi_send_bw", 16);
	for (size_t part = 0; part < 16; part++)
		assert_int_equal(hpe_peek(bytes, part, &payload, &length), 0);
	assert_int_equal(hpe_peek(bytes, 16, &payload, &length), 1);
	assert_true(hpe_is_text(payload, length, HPE_NAME));
	assert_false(hpe_is_text(payload, length - 1, HPE_NAME));
	assert_int_equal(hpe_encode(NULL, 0, bytes), 4);
	assert_int_equal(hpe_peek(bytes, 4, &payload, &length), 1);
	assert_int_equal(length, 0);
	assert_int_equal(hpe_peek((const uint8_t *)"\xfd\3\0\0", 4, &payload, &length), -EPROTO);
	assert_int_equal(hpe_peek((const uint8_t *)"\xfc\3\0\0", 4, &payload, &length), 0);
	assert_int_equal(hpe_peek((const uint8_t *)"\0\0\0\x80", 4, &payload, &length), -EPROTO);
}

#define READ_VERSION(text, version) hpe_decode_version((const uint8_t *)(text), sizeof(text), version)

TEST(versions_are_two_numbers)
{
	char version[HPE_VERSION_SIZE];

	assert_int_equal(READ_VERSION("2.4.0", version), 0);
	assert_string_equal(version, "2.4.0");
	assert_true(hpe_versions_agree(version, HPE_OUR_VERSION));
	assert_true(hpe_versions_agree("2.4", "2.4.99"));
	assert_false(hpe_versions_agree("2.2.0", HPE_OUR_VERSION));
	assert_false(hpe_versions_agree("2.40", "2.4"));
	assert_int_equal(READ_VERSION("", version), -EPROTO);
	assert_int_equal(READ_VERSION("two", version), -EPROTO);
	assert_int_equal(READ_VERSION("2", version), -EPROTO);
	assert_int_equal(READ_VERSION("2.", version), -EPROTO);
	assert_int_equal(READ_VERSION(" 2.4", version), -EPROTO);
	assert_int_equal(READ_VERSION("2.4\0", version), -EPROTO);
	assert_int_equal(READ_VERSION("2.4.0 and more than it has room for", version), -EPROTO);
	assert_int_equal(hpe_decode_version((const uint8_t *)"2.4", 3, version), -EPROTO);
	assert_int_equal(hpe_decode_version((const uint8_t *)"2.4", 0, version), -EPROTO);
	assert_int_equal(READ_VERSION("2.4.\x1b", version), 0);
	assert_string_equal(version, "2.4.?");
}

static uint64_t number_at(const uint8_t *bytes, size_t offset, unsigned width)
{
	uint64_t value = 0;

	while (width--)
		value = value << 8 | bytes[offset + width];
	return value;
}

static void parse(struct cxi_params *params, int argc, char **argv)
{
	char reason[OPT_TEXT_SIZE];

	cxi_params_init(params);
	assert_int_equal(cxi_params_parse(params, argc, argv, reason, sizeof(reason)), 0);
}

#define COUNT(argv) ((int)(sizeof(argv) / sizeof((argv)[0])) - 1)

/* Offsets and bits as they were measured in HPE's program. */
TEST(options_are_where_they_belong)
{
	char *argv[] = {"cxi_send_bw", "-n", "7",      "-D",	   "5",	    "-s",	   "64:1024", "-l",
			"300",	       "-b", "-R",     "--buf-sz", "4096",  "--buf-align", "32",      "--use-hp",
			"1G",	       "-v", "3",      "-d",	   "cxi12", "-p",	   "50000",   "-r",
			"9",	       "-g", "nvidia", "host",	   NULL};
	uint8_t bytes[HPE_OPTIONS_SIZE + 1];
	struct cxi_params params;

	parse(&params, COUNT(argv), argv);
	memset(bytes, 0x5a, sizeof(bytes));
	hpe_encode_options(&params, GPU_NVIDIA, bytes);
	assert_int_equal(bytes[HPE_OPTIONS_SIZE], 0x5a);
	assert_int_equal(number_at(bytes, 0, 4), 0);
	assert_int_equal(number_at(bytes, 5, 8), 7);
	assert_int_equal(number_at(bytes, 29, 4), 5);
	assert_int_equal(number_at(bytes, 33, 2), 300);
	assert_int_equal(number_at(bytes, 35, 2), 1 | HUGE_1G << 4);
	assert_int_equal(number_at(bytes, 37, 8), 64);
	assert_int_equal(number_at(bytes, 45, 8), 1024);
	assert_int_equal(number_at(bytes, 53, 8), 4096);
	assert_int_equal(number_at(bytes, 61, 8), 0);
	assert_int_equal(number_at(bytes, 69, 8), 32);
	assert_int_equal(bytes[77], 1 << 3);
	assert_int_equal(number_at(bytes, 81, 4), 3);
	assert_int_equal(number_at(bytes, 85, 4), 12);
	assert_int_equal(number_at(bytes, 89, 2), 50000);
	assert_int_equal(bytes[91], 1);
	assert_int_equal(number_at(bytes, 97, 8), (0x100 | 9) << 9);
	assert_int_equal(number_at(bytes, 105, 8), 0);
}

TEST(a_server_adopts_them)
{
	char *all[] = {"cxi_send_bw", "-n",	  "7",	      "-s",   "64:1024",     "-l",   "300",
		       "-b",	      "--no-idc", "--buf-sz", "4096", "--buf-align", "32",   "--use-hp",
		       "2M",	      "-t",	  "1",	      "-g",   "intel",	     "host", NULL};
	char *none[] = {"cxi_send_bw", "host", NULL};
	char *timed[] = {"cxi_send_bw", "-D", "5", "-R", "host", NULL};
	char **cases[] = {all, none, timed};
	const int counts[] = {COUNT(all), COUNT(none), COUNT(timed)};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[CXI_OPTIONS_SIZE], again[CXI_OPTIONS_SIZE], reason[OPT_TEXT_SIZE];
		struct cxi_params client, server;
		uint8_t bytes[HPE_OPTIONS_SIZE];
		struct cxi_memory memory;
		const char *fault;

		parse(&client, counts[i], cases[i]);
		hpe_encode_options(&client, GPU_INTEL, bytes);
		assert_int_equal(hpe_decode_options(bytes, sizeof(bytes), text, &memory, &fault), 0);
		assert_string_equal(memory.tx, i ? "System" : "GPU 1");
		assert_string_equal(memory.rx, "System");
		assert_string_equal(memory.gpu, i ? "" : "INTEL");
		cxi_params_init(&server);
		assert_int_equal(cxi_options_adopt(&server, text, reason, sizeof(reason)), 0);
		assert_string_equal(cxi_options_export(&server, text), cxi_options_export(&client, again));
	}
}

/* Whatever the bytes are, there is a text, which the table of options judges. */
TEST(no_option_does_harm)
{
	uint8_t bytes[HPE_OPTIONS_SIZE];
	char text[CXI_OPTIONS_SIZE], reason[OPT_TEXT_SIZE];
	struct cxi_memory memory;
	struct cxi_params params;
	const char *fault;

	for (unsigned byte = 0; byte < 256; byte++) {
		memset(bytes, (int)byte, sizeof(bytes));
		if (hpe_decode_options(bytes, sizeof(bytes), text, &memory, &fault))
			continue;
		cxi_params_init(&params);
		assert_int_equal(cxi_options_adopt(&params, text, reason, sizeof(reason)), -EINVAL);
	}
	assert_int_equal(hpe_decode_options(bytes, sizeof(bytes) - 1, text, &memory, &fault), -EPROTO);
	assert_int_equal(hpe_decode_options(bytes, 0, text, &memory, &fault), -EPROTO);
}

TEST(addresses_are_nic_and_pid)
{
	const struct cxi_address own = {.length = 16, .bytes = {0, 1, 2, 3, 0, 0, 1, 4, 0, 0, 0, 9}};
	uint8_t payload[HPE_ADDRESS_SIZE];
	struct cxi_address peer;

	hpe_encode_address(&own, payload);
	assert_memory_equal(payload, "\3\2\1\0\4\1\0\0", 8);
	hpe_decode_address(payload, &peer);
	assert_int_equal(peer.length, 8);
	assert_memory_equal(peer.bytes, own.bytes, 8);
}

static int read_result(uint64_t elapsed_us, uint64_t sends, struct cxi_sent *sent)
{
	uint8_t payload[HPE_RESULT_SIZE];
	const char *fault = NULL;
	int ret;

	for (unsigned i = 0; i < 8; i++) {
		payload[i] = (uint8_t)(elapsed_us >> 8 * i);
		payload[8 + i] = (uint8_t)(sends >> 8 * i);
	}
	ret = hpe_decode_result(payload, 4, sent, &fault);
	assert_true(!ret || fault);
	return ret;
}

TEST(results_are_sends_of_whole_lists)
{
	const struct cxi_sent own = {.started = 4, .finished = 3, .elapsed_ns = 5000};
	uint8_t payload[HPE_RESULT_SIZE];
	struct cxi_sent sent;

	hpe_encode_result(&own, 256, payload);
	assert_memory_equal(payload, "\5\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0", HPE_RESULT_SIZE);
	assert_int_equal(read_result(5, 12, &sent), 0);
	assert_int_equal(sent.started, 3);
	assert_int_equal(sent.finished, 3);
	assert_int_equal(sent.elapsed_ns, 5000);
	assert_int_equal(read_result(5, 0, &sent), 0);
	assert_int_equal(read_result(0, 0, &sent), 0);
	assert_int_equal(read_result(5, 13, &sent), -EPROTO);
	assert_int_equal(read_result(0, 12, &sent), -EPROTO);
	assert_int_equal(read_result(UINT64_MAX, 12, &sent), -EPROTO);
}

TEST_MAIN(NULL, NULL)
