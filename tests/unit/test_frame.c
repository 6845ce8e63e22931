// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages between instances of cmtime: every frame's bytes against docs/cmtime.md itself, round trips, and input that
 * is truncated, flipped bit by bit or random.
 */
#include "cmocka_all.h"

#include <netinet/in.h>

#include "cmtime/frame.h"
#include "fuzz/fuzz.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct latency latency;
static struct conn_totals totals = {.connections = 4,
				    .retries = 1,
				    .began_ns = 1000,
				    .ended_ns = 150001000,
				    .rate = {.width_ns = RATE_WIDTH_NS, .used = 2, .counts = {3, 1}}};
static struct frame_peer peers[] = {
	{.listens = 1, .host = "alpha", .self = {.version = "7.0", .provenance = "{}"}}, /* the address: fill() */
	{.host = "beta"},
};

static struct frame samples[] = {
	{.type = MESSAGE_HELLO, .join = {.listens = 1, .base_qpn = 1000, .host = "alpha", .config = "peers=2\n"}},
	{.type = MESSAGE_AGREE,
	 .welcome = {.place.rank = 1,
		     .place.count = 2,
		     .place.qpn_first = 1300,
		     .place.qpn_count = 300,
		     .place.token = 0x1122334455667788,
		     .config = "peers=2\n",
		     .place.run_id = {{0x1b, 0x4e, 0x28, 0xba, 0x2f, 0xa1, 0x41, 0xd2, 0x88, 0x3f, 0x00, 0x16, 0xd3,
				       0xcc, 0xa4, 0x27}}}},
	{.type = FRAME_READY, /* likewise */
	 .ready = {.version = "7.0", .provenance = "{\"device\":{\"name\":\"soft0\"}}"}},
	{.type = FRAME_PEERS, .peers = {.count = 2, .items = peers}},
	{.type = MESSAGE_BARRIER, .arrived = {.point = 3, .sent_ns = 4096, .vote = SERIES_AGAIN}},
	{.type = FRAME_RELEASE, .arrived = {.point = 3, .vote = SERIES_NO_MORE}},
	{.type = MESSAGE_ALIVE, .step = STEP_CREATE_QP},
	{.type = FRAME_FIGURES,
	 .stats = {.test = 0, .step = STEP_CM_CONNECT, .measure = MEASURE_TIME, .total_ns = 5000, .latency = &latency}},
	{.type = FRAME_RATES, .rates = {.test = 0, .sent_ns = 150005096, .totals = &totals}},
	{.type = MESSAGE_ABORT, .abort = {.rank = 1, .reason = "create qp: out of memory"}},
};

static int fill(void **state)
{
	struct sockaddr_in *four = (struct sockaddr_in *)&peers[0].self.address;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&samples[2].ready.address;

	*four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(40000), .sin_addr = {htonl(0x0a000001)}};
	*six = (struct sockaddr_in6){
		.sin6_family = AF_INET6, .sin6_port = htons(7471), .sin6_addr = {.s6_addr = {0xfd, [15] = 1}}};
	latency_open(&latency, 0 /* no raw samples */);
	latency_record(&latency, 1000);
	latency_record(&latency, 1001);
	latency_record(&latency, 3000);
	return 0;
}

/* --- the document: ```hex NAME, bytes in hexadecimal with # comments, ``` --- */

static size_t document_bytes(const char *name, uint8_t *bytes, size_t size)
{
	FILE *file = fopen(TOP_SRCDIR "/docs/cmtime.md", "r");
	char line[512], head[64];
	bool inside = false;
	size_t used = 0;

	assert_non_null(file);
	snprintf(head, sizeof(head), "```hex %s\n", name);
	while (fgets(line, sizeof(line), file)) {
		const char *at = line;
		unsigned byte;
		int length;

		if (!inside) {
			inside = strcmp(line, head) == 0;
			continue;
		}
		if (strncmp(line, "```", 3) == 0)
			break;
		line[strcspn(line, "#")] = '\0';
		while (sscanf(at, " %2x%n", &byte, &length) == 1) {
			assert_true(used < size);
			bytes[used++] = (uint8_t)byte;
			at += length;
		}
	}
	fclose(file);
	return used;
}

static int decode(const uint8_t *bytes, size_t size, struct frame *frame, const char **fault)
{
	static struct frame_peer room[FRAME_MAX_PEERS];
	static struct latency into;
	static struct conn_totals counted;
	struct message_header header;
	int ret;

	ret = message_peek(&cmtime_messages, bytes, size, &header, fault);
	if (ret <= 0)
		return ret ? ret : -EPROTO;
	assert_int_equal(header.length, size - MESSAGE_HEADER_SIZE);
	latency_open(&into, 0 /* no raw samples */);
	memset(&counted, 0, sizeof(counted));
	memset(frame, 0, sizeof(*frame));
	if (header.type == FRAME_PEERS)
		frame->peers.items = room;
	if (header.type == FRAME_FIGURES)
		frame->stats.latency = &into;
	if (header.type == FRAME_RATES)
		frame->rates.totals = &counted;
	return frame_decode(&header, bytes + MESSAGE_HEADER_SIZE, frame, fault);
}

TEST(frames_are_as_documented)
{
	static struct frame decoded;
	uint8_t made[1024], shown[1024], again[1024];
	bool seen[FRAME_TYPES] = {false};
	const char *fault = "";

	for (size_t i = 0; i < COUNT(samples); i++) {
		const size_t size = frame_encode(&samples[i], made, sizeof(made));

		assert_true(size <= sizeof(made));
		if (document_bytes(message_noun(&cmtime_messages, samples[i].type), shown, sizeof(shown)) != size ||
		    memcmp(made, shown, size) != 0) {
			for (size_t k = 0; k < size; k++)
				print_error("%02x%s", made[k], k % 16 == 15 || k + 1 == size ? "\n" : " ");
			fail_msg("docs/cmtime.md shows other bytes of %s",
				 message_noun(&cmtime_messages, samples[i].type));
		}
		assert_int_equal(decode(shown, size, &decoded, &fault), 0);
		assert_int_equal(decoded.type, samples[i].type);
		assert_int_equal(frame_encode(&decoded, again, sizeof(again)), size);
		assert_memory_equal(again, made, size);
		seen[samples[i].type] = true;
	}
	for (unsigned type = MESSAGE_HELLO; type < FRAME_TYPES; type++)
		assert_int_equal(seen[type], type < cmtime_messages.num_types && cmtime_messages.rows[type].noun);
}

TEST(figures_arrive_as_they_were)
{
	uint8_t bytes[1024];
	static struct frame decoded;
	const char *fault;
	const size_t size = frame_encode(&samples[7], bytes, sizeof(bytes));

	assert_int_equal(decode(bytes, size, &decoded, &fault), 0);
	assert_memory_equal(&decoded.stats.latency->histogram, &latency.histogram, sizeof(latency.histogram));
	assert_int_equal(decoded.stats.latency->min, 1000);
	assert_int_equal(decoded.stats.latency->max, 3000);
	assert_int_equal(decoded.stats.latency->sum.low, 5001);
	assert_memory_equal(&decoded.stats.latency->sum_squares, &latency.sum_squares, sizeof(union wide));
	assert_true(latency_stdev(decoded.stats.latency) > 0);
}

TEST(the_fullest_figures_fit)
{
	static struct latency full;
	static struct conn_totals most = {.rate = {.width_ns = RATE_WIDTH_NS, .used = RATE_INTERVALS}};
	struct frame frame = {.type = FRAME_FIGURES, .stats = {.latency = &full}};
	static uint8_t bytes[MESSAGE_HEADER_SIZE + FRAME_MAX_PAYLOAD];
	static struct frame decoded;
	const char *fault;
	size_t size;

	latency_open(&full, 0 /* no raw samples */);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		latency_record(&full, (uint64_t)histogram_value(i));
	size = frame_encode(&frame, bytes, sizeof(bytes));
	assert_true(size <= sizeof(bytes));
	assert_int_equal(decode(bytes, size, &decoded, &fault), 0);
	frame = (struct frame){.type = FRAME_RATES, .rates.totals = &most};
	size = frame_encode(&frame, bytes, sizeof(bytes));
	assert_true(size <= sizeof(bytes));
	assert_int_equal(decode(bytes, size, &decoded, &fault), 0);
}

TEST(a_frame_that_is_cut_short_is_refused)
{
	static struct frame decoded;
	uint8_t bytes[1024];
	const char *fault;

	for (size_t i = 0; i < COUNT(samples); i++) {
		const size_t size = frame_encode(&samples[i], bytes, sizeof(bytes) - 1);

		for (size_t cut = MESSAGE_HEADER_SIZE; cut < size; cut++) {
			bytes[11] = (uint8_t)(cut - MESSAGE_HEADER_SIZE);
			bytes[10] = (uint8_t)((cut - MESSAGE_HEADER_SIZE) >> 8);
			assert_int_equal(decode(bytes, cut, &decoded, &fault), -EPROTO);
		}
		bytes[11] = (uint8_t)(size + 1 - MESSAGE_HEADER_SIZE);
		bytes[10] = (uint8_t)((size + 1 - MESSAGE_HEADER_SIZE) >> 8);
		bytes[size] = 0; /* a field of a later release */
		assert_int_equal(decode(bytes, size + 1, &decoded, &fault), 0);
	}
}

TEST(headers_are_judged)
{
	static const struct {
		uint8_t bytes[MESSAGE_HEADER_SIZE];
		int answer;
	} cases[] = {
		{{'P', 'F', 'T', 'C', 0, FRAME_VERSION, 0, MESSAGE_BARRIER, 0, 0, 0, 4}, 0},
		{{'P', 'F', 'T', 'N', 0, FRAME_VERSION, 0, MESSAGE_BARRIER, 0, 0, 0, 4}, -EPROTO},
		{{'G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P', '/', '1'}, -EPROTO},
		{{'P', 'F', 'T', 'C', 0, FRAME_VERSION + 1, 0, 6, 0, 0, 0, 4}, -EPROTONOSUPPORT},
		{{'P', 'F', 'T', 'C', 0, FRAME_VERSION + 1, 0, MESSAGE_REFUSE, 0, 0, 0, 4}, 0},
		{{'P', 'F', 'T', 'C', 0, 0, 0, 6, 0, 0, 0, 4}, -EPROTONOSUPPORT},
		{{'P', 'F', 'T', 'C', 0, FRAME_VERSION, 0, 0, 0, 0, 0, 4}, -EPROTO},
		{{'P', 'F', 'T', 'C', 0, FRAME_VERSION, 0, FRAME_TYPES, 0, 0, 0, 4}, -EPROTO},
		{{'P', 'F', 'T', 'C', 0, FRAME_VERSION, 0, MESSAGE_BARRIER, 0, 0, 0, 65}, -EPROTO},
		{{'P', 'F', 'T', 'C', 0, FRAME_VERSION, 0, FRAME_FIGURES, 0xff, 0, 0, 4}, -EPROTO},
	};
	struct message_header header;
	const char *fault;

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(message_peek(&cmtime_messages, cases[i].bytes, MESSAGE_HEADER_SIZE, &header, &fault),
				 cases[i].answer);
}

/* What a bucket list may not say. */
TEST(figures_that_can_not_be_are_refused)
{
	enum { MIN = MESSAGE_HEADER_SIZE + 11, BUCKETS = MIN + 48, FIRST = BUCKETS + 4 };
	static struct frame decoded;
	uint8_t good[1024], bytes[1024];
	const size_t size = frame_encode(&samples[7], good, sizeof(good));
	static const struct {
		size_t at;
		uint8_t value;
	} spoilt[] = {
		{MESSAGE_HEADER_SIZE + 1, STEP_COUNT},	  /* no such step */
		{MESSAGE_HEADER_SIZE + 2, MEASURE_COUNT}, /* no such measure */
		{MIN + 7, 0},				  /* the minimum is in another bucket */
		{MIN + 15, 0},				  /* the maximum is */
		{MIN + 16, 1},				  /* the sum is more than the maximum allows */
		{MIN + 30, 0},				  /* the sum is less than the minimum allows */
		{BUCKETS + 2, 0xff},			  /* more buckets than there are */
		{FIRST, 0xff},				  /* a bucket that is not there */
		{FIRST + 9, 0},				  /* a bucket with nothing in it */
		{FIRST + 10, 0},			  /* the second before the first */
		{FIRST + 2, 1},				  /* more samples than can be added up */
	};
	const char *fault;

	for (size_t i = 0; i < COUNT(spoilt); i++) {
		memcpy(bytes, good, size);
		assert_int_equal(decode(bytes, size, &decoded, &fault), 0);
		bytes[spoilt[i].at] = spoilt[i].value;
		if (decode(bytes, size, &decoded, &fault) != -EPROTO)
			fail_msg("case %zu was taken", i);
	}
}

/* Widths that grow beyond what can be counted. */
TEST(intervals_that_can_not_be_are_refused)
{
	static struct conn_totals wrong = {.rate = {.width_ns = (uint64_t)RATE_WIDTH_NS << 20, .used = RATE_INTERVALS}};
	struct frame frame = {.type = FRAME_RATES, .rates.totals = &wrong};
	static uint8_t bytes[MESSAGE_HEADER_SIZE + FRAME_MAX_PAYLOAD];
	static struct frame decoded;
	const char *fault;
	size_t size;

	wrong.rate.counts[RATE_INTERVALS - 1] = 1;
	size = frame_encode(&frame, bytes, sizeof(bytes));
	assert_int_equal(decode(bytes, size, &decoded, &fault), 0);
	wrong.rate.width_ns <<= 1;
	frame_encode(&frame, bytes, sizeof(bytes));
	assert_int_equal(decode(bytes, size, &decoded, &fault), -EPROTO);
	wrong.rate.width_ns = RATE_WIDTH_NS * 3;
	frame_encode(&frame, bytes, sizeof(bytes));
	assert_int_equal(decode(bytes, size, &decoded, &fault), -EPROTO);
}

TEST(times_that_can_not_be_are_refused)
{
	static const int64_t times[][3] = {{5, 4, 6}, {4, 6, 5}, {INT64_MAX, INT64_MAX, INT64_MAX}, {-1, 4, 6}};
	static struct conn_totals wrong = {.rate.width_ns = RATE_WIDTH_NS};
	struct frame frame = {.type = FRAME_RATES, .rates.totals = &wrong};
	static struct frame decoded;
	uint8_t bytes[1024];
	const char *fault;

	for (size_t i = 0; i < COUNT(times); i++) {
		wrong.began_ns = times[i][0];
		wrong.ended_ns = times[i][1];
		frame.rates.sent_ns = times[i][2];
		assert_int_equal(decode(bytes, frame_encode(&frame, bytes, sizeof(bytes)), &decoded, &fault), -EPROTO);
	}
}

/* Lists and stats are refused by who has brought no memory for them. */
TEST(what_has_no_room_is_refused)
{
	static struct frame decoded;
	struct message_header header;
	uint8_t bytes[1024];
	const char *fault;
	unsigned refused = 0;

	for (size_t i = 0; i < COUNT(samples); i++) {
		const size_t size = frame_encode(&samples[i], bytes, sizeof(bytes));

		assert_int_equal(message_peek(&cmtime_messages, bytes, size, &header, &fault), 1);
		memset(&decoded, 0, sizeof(decoded));
		if (frame_decode(&header, bytes + MESSAGE_HEADER_SIZE, &decoded, &fault)) {
			refused++;
			assert_true(header.type == FRAME_PEERS || header.type == FRAME_FIGURES ||
				    header.type == FRAME_RATES);
		}
	}
	assert_int_equal(refused, 3);
}

/* A host's name goes to terminals: nothing in it may steer them. */
TEST(texts_are_harmless)
{
	struct frame frame = {.type = MESSAGE_REFUSE,
			      .refuse = "a\x1b[2Jb\nc\xc2\x9b"
					"d"};
	static struct frame decoded;
	uint8_t bytes[256];
	const char *fault;
	size_t size = frame_encode(&frame, bytes, sizeof(bytes));

	assert_int_equal(decode(bytes, size, &decoded, &fault), 0);
	assert_string_equal(decoded.refuse, "a?[2Jb?c??d");
	bytes[size - 1] = '\0'; /* a NUL inside the length */
	assert_int_equal(decode(bytes, size, &decoded, &fault), -EPROTO);
}

TEST(flipped_bits_and_noise_are_survived)
{
	uint8_t bytes[1024];
	uint64_t random = 88172645463325252;

	for (size_t i = 0; i < COUNT(samples); i++) {
		const size_t size = frame_encode(&samples[i], bytes, sizeof(bytes));

		for (size_t bit = 0; bit < 8 * size; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			LLVMFuzzerTestOneInput(bytes, size);
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		for (unsigned round = 0; round < 2000; round++) {
			for (size_t k = MESSAGE_HEADER_SIZE; k < size; k++) {
				random ^= random << 13;
				random ^= random >> 7;
				random ^= random << 17;
				bytes[k] = (uint8_t)random;
			}
			LLVMFuzzerTestOneInput(bytes, size);
		}
	}
}

TEST_MAIN(fill, NULL)
