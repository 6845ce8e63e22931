// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The codecs: every message's bytes against docs/wire.md itself, round trips at the limits of the ranges, and input
 * that is truncated, flipped bit by bit, mutated or random.
 */
#include <ctype.h>
#include <math.h>

#include "cmocka_all.h"
#include "comm/wire.h"
#include "fuzz/fuzz.h"
#include "same_endpoints.h"
#include "stats/latency.h"
#include "wire_message.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A number in place of another. */
static void put(uint8_t *bytes, size_t width, uint64_t value)
{
	codec_put(&(struct codec_writer){.bytes = bytes}, width, value);
}

/* --- the messages whose bytes the document shows --- */

static struct endpoint two_endpoints[] = {
	{
		.lid = 0x12,
		.qpn = 0x123,
		.psn = 0xabcdef,
		.rkey = 0xdeadbeef,
		.vaddr = 0x7f0000001000,
		.srqn = 5,
		.out_reads = 16,
		.mtu = 4096,
	},
	{
		.qpn = 0x124,
		.psn = 0x13579b,
		.rkey = 0xdeadbeef,
		.vaddr = 0x7f0000002000,
		.out_reads = 16,
		.mtu = 1024,
		.gid = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 7},
		.gid_kind = GID_ROCE_V2,
		.gid_index = 5,
		.cm_port = 43210,
	},
};

static struct latency two_buckets = {.min = 2400,
				     .max = 51000,
				     .sum = {.low = 7400000},
				     .sum_squares = {.low = UINT64_C(1) << 35},
				     .histogram = {.bucket = {[662] = 2999, [1223] = 1}, .count = 3000}};

/* Room for whatever a message has. */
static struct wire_message room_for(unsigned type, struct endpoint items[2])
{
	static struct latency latency;

	latency = (struct latency){.min = 0};
	if (type == WIRE_SAMPLES)
		return (struct wire_message){.samples.latency = &latency};
	return (struct wire_message){.endpoints = {.items = items, .capacity = 2}};
}

#define SAMPLE_PARAMS "size=65536\niters=5000\n"
#define SAMPLE_RUN                                                                                                     \
	{                                                                                                              \
		0x1b, 0x4e, 0x28, 0xba, 0x2f, 0xa1, 0x41, 0xd2, 0x88, 0x3f, 0x00, 0x16, 0xd3, 0xcc, 0xa4, 0x27         \
	}

static const struct {
	const char *name;
	struct wire_message message;
} native_samples[] = {
	{"HELLO",
	 {.type = MESSAGE_HELLO,
	  .hello = {{"ib_write_bw",
		     "7.0",
		     "alpha",
		     NULL,
		     {.device = "soft0",
		      .is_software = true,
		      .page_bytes = 4096,
		      .uid = 1000,
		      .boot = "2c53cd25-d1b5-4b2f-9a5a-6a0a0e3a1f6b",
		      .folder_id = "70:2",
		      .folder = "/run/user/1000/perftest-soft"},
		     4711,
		     {SAMPLE_RUN},
		     "{\"device\":{\"name\":\"soft0\"}}"},
		    {SAMPLE_PARAMS, sizeof(SAMPLE_PARAMS) - 1}}}},
	{"AGREE",
	 {.type = MESSAGE_AGREE,
	  .hello = {{"ib_write_bw",
		     "7.0",
		     "beta",
		     NULL,
		     {.device = "mlx5_0", .page_bytes = 65536},
		     4712,
		     {SAMPLE_RUN},
		     ""},
		    {"", 0}}}},
	{"REFUSE", {.type = MESSAGE_REFUSE, .reason = "the server runs ib_read_bw"}},
	{"ENDPOINTS", {.type = MESSAGE_ENDPOINTS, .endpoints = {.items = two_endpoints, .capacity = 2, .count = 2}}},
	{"BARRIER", {.type = MESSAGE_BARRIER, .tag = 16}},
	{"RESULT",
	 {.type = MESSAGE_RESULT,
	  .result = {.size = 65536,
		     .iterations = 5000,
		     .bw_peak = 12.5e9,
		     .bw_average = 12.25e9,
		     .message_rate = 186920.5,
		     .partial = true,
		     .received = 4998,
		     .begin_ns = 21500,
		     .elapsed_ns = 26749340,
		     .arrived = 4992}}},
	{"DONE", {.type = MESSAGE_DONE, .done.messages = 5000}},
	{"ALIVE", {.type = MESSAGE_ALIVE}},
	{"ABORT", {.type = MESSAGE_ABORT, .reason = "stopped by its user"}},
	{"ROUND", {.type = WIRE_ROUND, .round = {.messages = 512, .granule = 8}}},
	{"VERDICT",
	 {.type = WIRE_VERDICT,
	  .verdict = {.checked = 5000, .bytes = 327680000, .wrong = 1, .qp = 3, .message = 37, .offset = 4096}}},
	{"VOTE", {.type = MESSAGE_VOTE, .vote = SERIES_AGAIN}},
	{"PORTS", {.type = WIRE_PORTS, .result = {.ports = {{0x1p30, 16384}, {0x1p29, 8192}}}}},
	{"WAIT", {.type = WIRE_WAIT, .missing = 2}},
	{"SAMPLES", {.type = WIRE_SAMPLES, .samples = {4e-10, &two_buckets}}},
	{"CLOCK", {.type = WIRE_CLOCK, .clock = {.question = 2, .error_ns = 15000}}},
	{"FACTS", {.type = MESSAGE_FACTS, .facts = "observed_seconds=1.5\ninterface=eth0\n"}},
};

static const struct {
	const char *name;
	struct wire_classic_message message;
} classic_samples[] = {
	{"S1", {.type = WIRE_CLASSIC_NUMBER, .number = 4096}},
	{"S2", {.type = WIRE_CLASSIC_NUMBER, .number = 64}},
	{"M", {.type = WIRE_CLASSIC_MTU, .mtu = 4096}},
	{"H",
	 {.type = WIRE_CLASSIC_KEYS,
	  .keys = {.lid = 0x12,
		   .qpn = 0x123,
		   .psn = 0xabcdef,
		   .rkey = 0xdeadbeef,
		   .vaddr = 0x7f0000001000,
		   .srqn = 5,
		   .out_reads = 16}}},
	{"H with a GID",
	 {.type = WIRE_CLASSIC_KEYS_GID,
	  .keys = {.qpn = 0x124,
		   .psn = 0x13579b,
		   .rkey = 0xdeadbeef,
		   .vaddr = 0x7f0000002000,
		   .out_reads = 16,
		   .gid = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 7}}}},
	{"H with rdma_cm",
	 {.type = WIRE_CLASSIC_KEYS_CM,
	  .keys = {.lid = 0x12,
		   .qpn = 0x124,
		   .psn = 0x13579b,
		   .rkey = 0xdeadbeef,
		   .vaddr = 0x7f0000002000,
		   .srqn = 5,
		   .out_reads = 16,
		   .gid = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 7}}}},
	{"H with rdma_cm of 6.29",
	 {.type = WIRE_CLASSIC_KEYS_CM_MARKERS,
	  .keys = {.lid = 0x12,
		   .qpn = 0x124,
		   .psn = 0x13579b,
		   .rkey = 0xdeadbeef,
		   .vaddr = 0x7f0000002000,
		   .srqn = 5,
		   .out_reads = 16,
		   .gid = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 7}}}},
	{"X",
	 {.type = WIRE_CLASSIC_RESULT,
	  .result = {.size = 65536,
		     .iterations = 5000,
		     .bw_peak = 11920.93,
		     .bw_average = 11682.51,
		     .message_rate = 0.1869205}}},
	{"X of two ports", {.type = WIRE_CLASSIC_PORTS, .result = {.ports = {{1024, 0.015625}, {512, 0.0078125}}}}},
};

static const struct wire_greeting native_greeting = {.text = "6.06",
						     .version = 606,
						     .native = true,
						     .newest = WIRE_NATIVE_VERSION,
						     .oldest = WIRE_NATIVE_VERSION,
						     .program = 3};
static const struct wire_greeting classic_greeting = {.text = "6.29", .version = 629};

/* --- the document: ```hex NAME, bytes in hexadecimal with # comments, ``` --- */

struct golden {
	char name[64];
	uint8_t bytes[512];
	size_t length;
	bool used;
};

static struct golden golden[32];
static size_t num_golden;

static void read_hex(struct golden *into, const char *line)
{
	for (; *line && *line != '#'; line++) {
		unsigned byte;

		if (isspace((unsigned char)*line))
			continue;
		assert_true(into->length < sizeof(into->bytes));
		assert_int_equal(sscanf(line, "%2x", &byte), 1);
		into->bytes[into->length++] = (uint8_t)byte;
		line++;
	}
}

static int read_document(void **state)
{
	FILE *file = fopen(TOP_SRCDIR "/docs/wire.md", "r");
	struct golden *into = NULL;
	char line[512];

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "```hex ", 7)) {
			if (num_golden == COUNT(golden))
				return -1;
			into = &golden[num_golden++];
			snprintf(into->name, sizeof(into->name), "%.*s", (int)sizeof(into->name) - 1, line + 7);
		} else if (!strncmp(line, "```", 3)) {
			into = NULL;
		} else if (into) {
			read_hex(into, line);
		}
	}
	fclose(file);
	return 0;
}

static const struct golden *find_golden(const char *format, const char *name)
{
	char whole[64];

	snprintf(whole, sizeof(whole), "%s %s", format, name);
	for (size_t i = 0; i < num_golden; i++) {
		if (!strcmp(golden[i].name, whole)) {
			golden[i].used = true;
			return &golden[i];
		}
	}
	fail_msg("docs/wire.md does not show the bytes of \"%s\"", whole);
	return NULL;
}

static void assert_golden(const char *format, const char *name, const uint8_t *bytes, size_t length)
{
	const struct golden *shown = find_golden(format, name);

	if (shown->length == length && !memcmp(shown->bytes, bytes, length))
		return;
	print_error("%s %s is\n", format, name);
	for (size_t i = 0; i < length; i++)
		print_error("%02x%s", bytes[i], i % 16 == 15 || i + 1 == length ? "\n" : " ");
	fail_msg("docs/wire.md shows other bytes of \"%s %s\"", format, name);
}

/* --- comparing --- */

/* Both were encoded: equal messages are equal bytes. */
static void assert_same_native(const struct wire_message *a, const struct wire_message *b)
{
	static uint8_t bytes_a[4096], bytes_b[4096];
	size_t length = wire_native_encode(a, bytes_a, sizeof(bytes_a));

	assert_true(length <= sizeof(bytes_a));
	assert_int_equal(wire_native_encode(b, bytes_b, sizeof(bytes_b)), length);
	assert_memory_equal(bytes_a, bytes_b, length);
}

static int decode_frame(const uint8_t *frame, size_t length, struct wire_message *message, const char **fault)
{
	struct message_header header;

	if (message_peek(&wire_native, frame, length, &header, fault) <= 0)
		return -EPROTO;
	assert_int_equal(header.length, length - MESSAGE_HEADER_SIZE);
	return wire_native_decode(&header, frame + MESSAGE_HEADER_SIZE, message, fault);
}

/* --- tests --- */

TEST(greeting_is_as_documented)
{
	uint8_t bytes[WIRE_GREETING_SIZE];
	struct wire_greeting decoded;
	const char *fault;

	wire_greeting_encode(&native_greeting, bytes);
	assert_golden("native", "greeting", bytes, sizeof(bytes));
	assert_int_equal(wire_greeting_decode(bytes, &decoded, &fault), 0);
	assert_memory_equal(&decoded, &native_greeting, sizeof(decoded));

	wire_greeting_encode(&classic_greeting, bytes);
	assert_golden("classic", "V", bytes, sizeof(bytes));
	assert_int_equal(wire_greeting_decode(bytes, &decoded, &fault), 0);
	assert_memory_equal(&decoded, &classic_greeting, sizeof(decoded));
}

/* A peer from 6.28 on adds a block of parameters unless we claim less; one wants 5.70 at least. */
TEST(claimed_version_keeps_classic_peers_simple)
{
	uint8_t bytes[WIRE_GREETING_SIZE];
	double as_classic_reads_it;

	wire_greeting_encode(&native_greeting, bytes);
	assert_int_equal(bytes[strlen(WIRE_GREETING_TEXT)], 0); /* it is a string for them */
	as_classic_reads_it = atof((const char *)bytes);
	assert_true(as_classic_reads_it >= 5.70 && as_classic_reads_it < 6.28);
	assert_string_equal(native_greeting.text, WIRE_GREETING_TEXT);
}

TEST(greetings_are_judged)
{
	static const struct {
		const char *bytes;
		bool valid;
		unsigned version;
	} cases[] = {
		{"5.93\0\0\0\0\0\0\0\0\0\0\0", true, 593},
		{"6.3\0\0\0\0\0\0\0\0\0\0\0\0", true, 630},
		{"6.060\0\0\0\0\0\0\0\0\0\0", true, 606},
		{"6.06\0perftost\1\1", true, 606},
		{"6.06\0perftest\1\2", false, 0}, /* from 2 to 1 */
		{"6.06\0perftest\1\0", false, 0},
		{"GET / HTTP/1.1\r\n", false, 0},
		{"6\0\0\0\0\0\0\0\0\0\0\0\0\0\0", false, 0},
		{"6.\0\0\0\0\0\0\0\0\0\0\0\0\0", false, 0},
		{".06\0\0\0\0\0\0\0\0\0\0\0\0", false, 0},
		{"6.06x\0\0\0\0\0\0\0\0\0\0", false, 0},
		{"1234.06\0\0\0\0\0\0\0\0", false, 0},
		{"-6.06\0\0\0\0\0\0\0\0\0\0", false, 0},
		{"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", false, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct wire_greeting decoded = {.version = 1};
		const char *fault = NULL;
		int rc = wire_greeting_decode((const uint8_t *)cases[i].bytes, &decoded, &fault);

		assert_int_equal(rc, cases[i].valid ? 0 : -EBADMSG);
		assert_int_equal(decoded.version, cases[i].valid ? cases[i].version : 1);
		assert_true(cases[i].valid || fault);
		assert_false(decoded.native);
	}
}

TEST(native_messages_are_as_documented)
{
	bool shown[32] = {false};

	for (size_t i = 0; i < COUNT(native_samples); i++) {
		const struct wire_message *sample = &native_samples[i].message;
		struct endpoint items[2];
		struct wire_message decoded = room_for(sample->type, items);
		const struct golden *document;
		const char *fault = "";
		uint8_t bytes[512];
		size_t length = wire_native_encode(sample, bytes, sizeof(bytes));

		assert_true(length <= sizeof(bytes));
		assert_int_equal(wire_native_encode(sample, NULL, 0), length);
		assert_golden("native", native_samples[i].name, bytes, length);
		document = find_golden("native", native_samples[i].name);
		assert_int_equal(decode_frame(document->bytes, document->length, &decoded, &fault), 0);
		assert_int_equal(decoded.type, sample->type);
		assert_same_native(&decoded, sample);
		assert_true((size_t)sample->type < COUNT(shown));
		shown[sample->type] = true;
	}
	for (size_t type = MESSAGE_HELLO; type < wire_native.num_types; type++)
		assert_true(shown[type] || (type > MESSAGE_FACTS && type < MESSAGE_OWN));
}

TEST(classic_messages_are_as_documented)
{
	for (size_t i = 0; i < COUNT(classic_samples); i++) {
		const struct wire_classic_message *sample = &classic_samples[i].message;
		const size_t length = wire_classic_size(sample->type);
		uint8_t bytes[WIRE_CLASSIC_MAX_SIZE], again[WIRE_CLASSIC_MAX_SIZE];
		struct wire_classic_message decoded = {.type = sample->type};
		const char *fault = "";

		assert_true(length <= sizeof(bytes));
		wire_classic_encode(sample->type, &sample->keys, bytes);
		assert_golden("classic", classic_samples[i].name, bytes, length);
		assert_int_equal(wire_classic_decode(sample->type, bytes, &decoded.keys, &fault), 0);
		wire_classic_encode(sample->type, &decoded.keys, again);
		assert_memory_equal(again, bytes, length);
	}
}

TEST(document_shows_nothing_else)
{
	for (size_t i = 0; i < num_golden; i++) {
		if (!golden[i].used)
			fail_msg("docs/wire.md shows \"%s\", which no codec makes", golden[i].name);
	}
}

/* Whatever part of such a message is there: NULL, or from `known` bytes on a sentence with `part`. */
static void assert_misfit(enum wire_classic_type type, const char *bytes, size_t length, size_t known, const char *part)
{
	for (size_t n = 0; n <= length; n++) {
		const char *misfit = wire_classic_keys_misfit(type, (const uint8_t *)bytes, n);

		if (n < known)
			assert_null(misfit);
		else
			assert_non_null(strstr(misfit, part));
	}
}

TEST(keys_of_another_kind_are_named)
{
#define FRONT "0012:0010:000123:abcdef:deadbeef:00007f0000001000:"
#define GID   "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:07:"
	static const char plain[] = FRONT "00000005";
	static const char gid[] = FRONT GID "00000000:";
	static const char validated[] = FRONT "00007f0000002000:00000005";
	static const char validated_gid[] = FRONT "00007f0000002000:" GID "00000000:";

	assert_misfit(WIRE_CLASSIC_KEYS, plain, sizeof(plain), SIZE_MAX, NULL);
	assert_misfit(WIRE_CLASSIC_KEYS_GID, gid, sizeof(gid), SIZE_MAX, NULL);
	assert_misfit(WIRE_CLASSIC_KEYS_GID, plain, sizeof(plain), 59, "uses no GID");
	assert_misfit(WIRE_CLASSIC_KEYS, gid, sizeof(gid), 53, "uses a GID");
	assert_misfit(WIRE_CLASSIC_KEYS_GID, validated_gid, sizeof(validated_gid), 67, "--data_validation");
	assert_misfit(WIRE_CLASSIC_KEYS, validated, sizeof(validated), 67, "--data_validation");
	assert_misfit(WIRE_CLASSIC_KEYS, "6.29\0\0", 6, 2, "--dont_xchg_versions");
}

TEST(classic_mtu_is_a_digit)
{
	static const uint32_t mtus[] = {256, 512, 1024, 2048, 4096};
	const char *fault;
	uint8_t bytes[2];
	uint32_t mtu;

	for (size_t i = 0; i < COUNT(mtus); i++) {
		wire_classic_encode(WIRE_CLASSIC_MTU, &mtus[i], bytes);
		assert_int_equal(bytes[0], '1' + i);
		assert_int_equal(bytes[1], 0);
		assert_int_equal(wire_classic_decode(WIRE_CLASSIC_MTU, bytes, &mtu, &fault), 0);
		assert_int_equal(mtu, mtus[i]);
	}
	assert_int_equal(wire_classic_decode(WIRE_CLASSIC_MTU, (const uint8_t *)"0", &mtu, &fault), 0);
	assert_int_equal(mtu, 0);
	assert_int_equal(wire_classic_decode(WIRE_CLASSIC_MTU, (const uint8_t *)"55", &mtu, &fault), -EBADMSG);
}

TEST(endpoints_travel_whole)
{
	struct endpoint *items = calloc(WIRE_MAX_ENDPOINTS, sizeof(*items));
	struct endpoint *decoded_items = calloc(WIRE_MAX_ENDPOINTS, sizeof(*items));
	struct wire_message message = {
		.type = MESSAGE_ENDPOINTS,
		.endpoints = {.items = items, .capacity = WIRE_MAX_ENDPOINTS, .count = WIRE_MAX_ENDPOINTS},
	};
	struct wire_message decoded = {.endpoints = {.items = decoded_items, .capacity = WIRE_MAX_ENDPOINTS}};
	size_t length = wire_native_encode(&message, NULL, 0);
	uint8_t *bytes = malloc(length);
	const char *fault;

	for (uint32_t i = 0; i < WIRE_MAX_ENDPOINTS; i++) {
		/* The ends of all ranges, in turn. */
		items[i] = i & 1 ? (struct endpoint){.lid = UINT16_MAX,
						     .qpn = 0xffffff,
						     .psn = 0xffffff,
						     .rkey = UINT32_MAX,
						     .vaddr = UINT64_MAX,
						     .srqn = 0xffffff,
						     .out_reads = UINT16_MAX,
						     .mtu = 4096,
						     .gid_kind = GID_ROCE_V2,
						     .gid_index = UINT16_MAX,
						     .cm_port = UINT16_MAX}
				 : (struct endpoint){.qpn = i, .mtu = 256};
		memset(items[i].gid, (int)i, sizeof(items[i].gid));
	}
	assert_int_equal(wire_native_encode(&message, bytes, length), length);
	assert_int_equal(decode_frame(bytes, length, &decoded, &fault), 0);
	assert_int_equal(decoded.endpoints.count, WIRE_MAX_ENDPOINTS);
	assert_same_endpoints(decoded_items, items, WIRE_MAX_ENDPOINTS);
	free(bytes);
	free(decoded_items);
	free(items);
}

/* Room for one: the second is checked and counted, and nothing is written behind the room. */
TEST(endpoints_beyond_the_room_are_dropped)
{
	const struct golden *document = find_golden("native", "ENDPOINTS");
	struct endpoint items[2];
	struct wire_message message = {.endpoints = {.items = items, .capacity = 1}};
	struct endpoint untouched;
	const char *fault;

	memset(items, 0x5a, sizeof(items));
	untouched = items[1];
	assert_int_equal(decode_frame(document->bytes, document->length, &message, &fault), 0);
	assert_int_equal(message.endpoints.count, 2);
	assert_int_equal(items[0].qpn, 0x123);
	assert_memory_equal(&items[1], &untouched, sizeof(untouched));
}

/* What a newer version adds behind the known fields, of the message and of each endpoint. */
TEST(newer_fields_are_skipped)
{
	for (size_t i = 0; i < COUNT(native_samples); i++) {
		struct endpoint items[2];
		struct wire_message decoded = room_for(native_samples[i].message.type, items);
		const char *fault = "";
		uint8_t bytes[512];
		size_t length = wire_native_encode(&native_samples[i].message, bytes, sizeof(bytes));

		memset(bytes + length, 0xee, 7);
		put(bytes + 8, 4, length + 7 - MESSAGE_HEADER_SIZE);
		assert_int_equal(decode_frame(bytes, length + 7, &decoded, &fault), 0);
		assert_same_native(&decoded, &native_samples[i].message);
	}

	const struct golden *document = find_golden("native", "ENDPOINTS");
	const size_t head = MESSAGE_HEADER_SIZE + 6, old = 55, grown = 58;
	struct endpoint items[2] = {0};
	struct wire_message decoded = {.endpoints = {.items = items, .capacity = 2}};
	const char *fault = "";
	uint8_t bytes[512];

	assert_int_equal(document->length, head + 2 * old);
	memset(bytes, 0xee, sizeof(bytes));
	memcpy(bytes, document->bytes, head + old);
	memcpy(bytes + head + grown, document->bytes + head + old, old);
	put(bytes + 8, 4, 6 + 2 * grown);
	put(bytes + MESSAGE_HEADER_SIZE + 4, 2, grown);
	assert_int_equal(decode_frame(bytes, head + 2 * grown, &decoded, &fault), 0);
	assert_same_endpoints(items, two_endpoints, 2);
}

TEST(headers_are_judged)
{
	static const struct {
		const char bytes[MESSAGE_HEADER_SIZE + 1];
		int rc;
	} cases[] = {
		{"PFTN\0\11\0\7\0\0\0\4", 0},
		{"PFTN\0\11\0\7\0\0\20\0", 0},	     /* 4096 */
		{"PFTN\0\11\0\7\0\0\20\1", -EPROTO}, /* 4097 */
		{"PFTN\0\11\0\6\377\377\377\377", -EPROTO},
		{"PFTN\0\11\1\7\0\0\0\4", -EPROTO},
		{"PFTN\0\10\0\7\0\0\0\4", -EPROTONOSUPPORT},
		{"PFTN\0\12\0\7\0\0\0\4", -EPROTONOSUPPORT},
		{"PFTN\0\11\0\0\0\0\0\0", -EPROTO},
		{"PFTN\0\11\0\14\0\0\0\0", -EPROTO}, /* 12 */
		{"PFTM\0\2\0\5\0\0\0\4", -EPROTO},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct message_header header;
		const char *fault = NULL;

		assert_int_equal(message_peek(&wire_native, (const uint8_t *)cases[i].bytes, MESSAGE_HEADER_SIZE,
					      &header, &fault),
				 cases[i].rc);
		assert_int_equal(fault != NULL, cases[i].rc != 0);
	}
}

/* Offsets are those of the sample messages in docs/wire.md. */
TEST(values_out_of_range_are_refused)
{
	static const struct {
		const char *name;
		size_t offset;
		uint8_t byte;
		const char *fault;
	} cases[] = {
		{"ENDPOINTS", 12, 0xff, "number or size"}, /* count */
		{"ENDPOINTS", 15, 0x00, "number or size"},
		{"ENDPOINTS", 15, 0x03, "cut short"},	 /* three, and bytes of two */
		{"ENDPOINTS", 17, 54, "number or size"}, /* entry size */
		{"ENDPOINTS", 16, 0x02, "number or size"},
		{"ENDPOINTS", 20, 0x01, "a number is out of range"},
		{"ENDPOINTS", 24, 0x01, "a number is out of range"},
		{"ENDPOINTS", 40, 0x01, "a number is out of range"},
		{"ENDPOINTS", 44, 0x01, "a number is out of range"},
		{"ENDPOINTS", 51, 0x01, "MTU"},
		{"ENDPOINTS", 50, 0x20, "MTU"},
		{"ENDPOINTS", 68, 0x04, "a number is out of range"},
		{"RESULT", 28, 0x7f, NULL},
		{"RESULT", 28, 0xc2, "cannot have been measured"}, /* negative */
		{"RESULT", 52, 0x02, "a number is out of range"},
		{"HELLO", 13, 32, "a text is too long"},
		{"HELLO", 13, 31, NULL}, /* takes the rest for the program; then it is cut short or too long */
		{"REFUSE", 12, 0x02, "a text is too long"},
		{"REFUSE", 13, 27, "cut short"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct golden document = *find_golden("native", cases[i].name);
		struct endpoint items[2];
		struct wire_message decoded = {.endpoints = {.items = items, .capacity = 2}};
		const char *fault = NULL;
		int rc;

		document.bytes[cases[i].offset] = cases[i].byte;
		rc = decode_frame(document.bytes, document.length, &decoded, &fault);
		if (!cases[i].fault)
			continue; /* here only that it is survived */
		assert_int_equal(rc, -EPROTO);
		if (!strstr(fault, cases[i].fault))
			fail_msg("%s[%zu] = %#x: \"%s\"", cases[i].name, cases[i].offset, cases[i].byte, fault);
	}
}

TEST(texts_are_made_harmless)
{
	struct wire_message message = {.type = MESSAGE_ABORT}, decoded;
	const char *fault;
	uint8_t bytes[1024];
	size_t length;

	strcpy(message.reason, "a\033[31m\n\177\303\266z");
	length = wire_native_encode(&message, bytes, sizeof(bytes));
	assert_int_equal(decode_frame(bytes, length, &decoded, &fault), 0);
	assert_string_equal(decoded.reason, "a?[31m????z");

	memset(message.reason, 'x', sizeof(message.reason) - 1);
	length = wire_native_encode(&message, bytes, sizeof(bytes));
	assert_int_equal(decode_frame(bytes, length, &decoded, &fault), 0);
	assert_string_equal(decoded.reason, message.reason);

	message = (struct wire_message){.type = MESSAGE_HELLO, .hello = {.params = {"a\0b", 3}}};
	length = wire_native_encode(&message, bytes, sizeof(bytes));
	assert_int_equal(decode_frame(bytes, length, &decoded, &fault), -EPROTO);
	assert_string_equal(fault, "the options are too long or have a NUL");
}

/* Everything that can be in a decoded message is in its range. */
static void assert_native_in_range(const struct wire_message *message)
{
	switch (message->type) {
	case MESSAGE_HELLO:
	case MESSAGE_AGREE:
		assert_true(strlen(message->hello.of.program) < sizeof(message->hello.of.program));
		assert_true(strlen(message->hello.of.version) < sizeof(message->hello.of.version));
		assert_true(strlen(message->hello.of.host) < sizeof(message->hello.of.host));
		assert_true(message->hello.params.length <= WIRE_MAX_PARAMS);
		assert_in_range(message->hello.of.site.page_bytes, 4096, 1 << 20);
		assert_true(strlen(message->hello.of.site.device) < sizeof(message->hello.of.site.device));
		assert_true(strlen(message->hello.of.site.boot) < sizeof(message->hello.of.site.boot));
		assert_true(strlen(message->hello.of.site.folder_id) < sizeof(message->hello.of.site.folder_id));
		assert_true(strlen(message->hello.of.site.folder) < sizeof(message->hello.of.site.folder));
		break;
	case MESSAGE_REFUSE:
	case MESSAGE_ABORT:
		assert_true(strlen(message->reason) < sizeof(message->reason));
		break;
	case MESSAGE_ENDPOINTS:
		assert_in_range(message->endpoints.count, 1, WIRE_MAX_ENDPOINTS);
		for (uint32_t i = 0; i < message->endpoints.count && i < message->endpoints.capacity; i++) {
			assert_in_range(message->endpoints.items[i].qpn, 0, 0xffffff);
			assert_in_range(message->endpoints.items[i].psn, 0, 0xffffff);
			assert_in_range(message->endpoints.items[i].mtu, 256, 4096);
		}
		break;
	case WIRE_ROUND:
		assert_in_range(message->round.messages, 0, INT32_MAX);
		assert_in_range(message->round.granule, 1, INT32_MAX);
		break;
	case MESSAGE_VOTE:
		assert_in_range(message->vote, SERIES_ENOUGH, SERIES_NO_MORE);
		break;
	case WIRE_SAMPLES:
		assert_true(isfinite(message->samples.tick_seconds) && message->samples.tick_seconds >= 0);
		break;
	case MESSAGE_FACTS:
		assert_true(strlen(message->facts) < sizeof(message->facts));
		break;
	case WIRE_VERDICT:
		assert_in_range(message->verdict.qp, 0, 16383);
		break;
	case MESSAGE_RESULT:
		assert_true(isfinite(message->result.bw_average) && message->result.bw_average >= 0);
		break;
	case WIRE_PORTS:
		assert_true(isfinite(message->result.ports[1].bw_average) && message->result.ports[1].bw_average >= 0);
		break;
	default:
		break;
	}
}

/* The bytes lie in an allocation of their exact length, so that a sanitizer sees each step beyond. */
static int decode_exactly(const uint8_t *frame, size_t length, const char **fault)
{
	uint8_t *exact = malloc(length ? length : 1);
	struct message_header header;
	struct wire_message decoded;
	struct endpoint items[2];
	int rc = -EPROTO;

	memcpy(exact, frame, length);
	if (message_peek(&wire_native, exact, length, &header, fault) > 0) {
		decoded = room_for(header.type, items);
		rc = wire_native_decode(&header, exact + MESSAGE_HEADER_SIZE, &decoded, fault);
		if (!rc)
			assert_native_in_range(&decoded);
	}
	free(exact);
	return rc;
}

TEST(native_cut_short_is_refused)
{
	for (size_t i = 0; i < COUNT(native_samples); i++) {
		struct golden document = *find_golden("native", native_samples[i].name);

		for (size_t length = MESSAGE_HEADER_SIZE; length < document.length; length++) {
			const char *fault = "";

			put(document.bytes + 8, 4, length - MESSAGE_HEADER_SIZE);
			assert_int_equal(decode_exactly(document.bytes, length, &fault), -EPROTO);
			assert_non_null(strstr(fault, "cut short"));
		}
	}
}

TEST(native_with_a_flipped_bit_is_refused_or_in_range)
{
	for (size_t i = 0; i < COUNT(native_samples); i++) {
		struct golden document = *find_golden("native", native_samples[i].name);

		for (size_t bit = 0; bit < document.length * 8; bit++) {
			const char *fault = NULL;

			document.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
			decode_exactly(document.bytes, document.length, &fault);
			document.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
		}
	}
}

TEST(classic_with_a_flipped_bit_is_refused_or_in_range)
{
	unsigned refused = 0;

	for (size_t i = 0; i < COUNT(classic_samples); i++) {
		const enum wire_classic_type type = classic_samples[i].message.type;
		const size_t length = wire_classic_size(type);
		struct golden document = *find_golden("classic", classic_samples[i].name);

		for (size_t bit = 0; bit < length * 8; bit++) {
			uint8_t *exact = malloc(length);
			struct wire_classic_message decoded = {.type = type};
			const char *fault = NULL;

			memcpy(exact, document.bytes, length);
			exact[bit / 8] ^= (uint8_t)(1U << bit % 8);
			if (wire_classic_decode(type, exact, &decoded.keys, &fault)) {
				assert_non_null(fault);
				refused++;
			} else if (type == WIRE_CLASSIC_KEYS || type == WIRE_CLASSIC_KEYS_GID) {
				assert_in_range(decoded.keys.qpn, 0, 0xffffff);
				assert_in_range(decoded.keys.srqn, 0, 0xffffff);
			}
			free(exact);
		}
	}
	assert_true(refused > 500);
}

/* The fuzzer's own entry, over the documented messages and fixed mutations of them. */
TEST(mutations_are_survived)
{
	uint32_t seed = 20240229;

	for (unsigned round = 0; round < 20000; round++) {
		struct golden document = golden[round % num_golden];
		unsigned changes;

		seed = seed * 1664525 + 1013904223;
		changes = seed >> 29;
		for (unsigned i = 0; i <= changes; i++) {
			seed = seed * 1664525 + 1013904223;
			if (seed >> 30 == 0)
				document.length = (seed >> 8) % (document.length + 1);
			else if (document.length)
				document.bytes[(seed >> 16) % document.length] = (uint8_t)(seed >> 8);
		}

		uint8_t *exact = malloc(document.length + 1);

		memcpy(exact, document.bytes, document.length);
		assert_int_equal(LLVMFuzzerTestOneInput(exact, document.length), 0);
		free(exact);
	}
}

TEST_MAIN(read_document, NULL)
