// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The bytes between the instances of a cluster. See frame.h. */
#include "cmtime/frame.h"

#include <errno.h>
#include <string.h>

#define MAX_COUNT    (1ULL << 48)		     /* of a distribution: that of all instances fits into 64 bits */
#define MAX_WIDTH_NS ((uint64_t)RATE_WIDTH_NS << 20) /* so that 4096 intervals do, too */

static const uint8_t magic[4] = {'P', 'F', 'T', 'C'};

static const struct {
	const char *name;
	uint32_t limit; /* of the payload */
} types[FRAME_TYPES] = {
	[FRAME_JOIN] = {"JOIN", 8192},
	[FRAME_WELCOME] = {"WELCOME", 8192},
	[FRAME_REFUSE] = {"REFUSE", 1024},
	[FRAME_READY] = {"READY", 64},
	[FRAME_PEERS] = {"PEERS", FRAME_MAX_PAYLOAD},
	[FRAME_ARRIVED] = {"ARRIVED", 64},
	[FRAME_RELEASE] = {"RELEASE", 64},
	[FRAME_ALIVE] = {"ALIVE", 64},
	[FRAME_FIGURES] = {"FIGURES", FRAME_MAX_PAYLOAD},
	[FRAME_RATES] = {"RATES", FRAME_MAX_PAYLOAD},
	[FRAME_ABORT] = {"ABORT", 1024},
};

const char *frame_name(unsigned type)
{
	return type && type < FRAME_TYPES ? types[type].name : "message of unknown type";
}

/* --- writing: counts always, stores where there is room --- */

struct writer {
	uint8_t *bytes;
	size_t size;
	size_t used;
};

static void put(struct writer *writer, size_t width, uint64_t value)
{
	for (size_t i = 0; i < width; i++, writer->used++)
		if (writer->used < writer->size)
			writer->bytes[writer->used] = (uint8_t)(value >> 8 * (width - 1 - i));
}

static void put_bytes(struct writer *writer, const void *from, size_t length)
{
	const uint8_t *bytes = from;

	for (size_t i = 0; i < length; i++)
		put(writer, 1, bytes[i]);
}

static void put_text(struct writer *writer, const char *text, size_t room)
{
	const size_t length = strnlen(text, room - 1);

	put(writer, 2, length);
	put_bytes(writer, text, length);
}

static size_t frame_address_length(const struct frame_address *address)
{
	return address->family == 4 ? 4 : address->family == 6 ? 16 : 0;
}

static void put_address(struct writer *writer, const struct frame_address *address)
{
	put(writer, 1, address->family);
	put(writer, 2, address->port);
	put_bytes(writer, address->bytes, frame_address_length(address));
}

static void put_wide(struct writer *writer, struct wide value)
{
	put(writer, 8, value.high);
	put(writer, 8, value.low);
}

/* Only the buckets that have something, by index. */
static void put_latency(struct writer *writer, const struct latency *latency)
{
	const struct histogram *histogram = &latency->histogram;
	uint32_t buckets = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		buckets += histogram->bucket[i] != 0;
	put(writer, 8, latency->min);
	put(writer, 8, latency->max);
	put_wide(writer, latency->sum);
	put_wide(writer, latency->sum_squares);
	put(writer, 4, buckets);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!histogram->bucket[i])
			continue;
		put(writer, 2, i);
		put(writer, 8, histogram->bucket[i]);
	}
}

static void put_payload(struct writer *writer, const struct frame *frame)
{
	switch (frame->type) {
	case FRAME_JOIN:
		put(writer, 1, frame->join.listens);
		put(writer, 4, frame->join.base_qpn);
		put_text(writer, frame->join.host, sizeof(frame->join.host));
		put_text(writer, frame->join.config, sizeof(frame->join.config));
		break;
	case FRAME_WELCOME:
		put(writer, 4, frame->welcome.rank);
		put(writer, 4, frame->welcome.count);
		put(writer, 4, frame->welcome.qpn_first);
		put(writer, 4, frame->welcome.qpn_count);
		put(writer, 8, frame->welcome.token);
		put_text(writer, frame->welcome.config, sizeof(frame->welcome.config));
		break;
	case FRAME_REFUSE:
		put_text(writer, frame->refuse, sizeof(frame->refuse));
		break;
	case FRAME_READY:
		put_address(writer, &frame->ready);
		break;
	case FRAME_PEERS:
		put(writer, 4, frame->peers.count);
		for (uint32_t i = 0; i < frame->peers.count; i++) {
			put(writer, 1, frame->peers.items[i].listens);
			put_text(writer, frame->peers.items[i].host, FRAME_HOST_SIZE);
			put_address(writer, &frame->peers.items[i].address);
		}
		break;
	case FRAME_ARRIVED:
	case FRAME_RELEASE:
		put(writer, 4, frame->point);
		break;
	case FRAME_ALIVE:
		put(writer, 1, frame->step);
		break;
	case FRAME_FIGURES:
		put(writer, 1, frame->figures.test);
		put(writer, 1, frame->figures.step);
		put(writer, 1, frame->figures.measure);
		put(writer, 8, frame->figures.total_ns);
		put_latency(writer, frame->figures.latency);
		break;
	case FRAME_RATES:
		put(writer, 1, frame->rates.test);
		put(writer, 8, frame->rates.connections);
		put(writer, 8, frame->rates.retries);
		put(writer, 8, frame->rates.rate->width_ns);
		put(writer, 4, frame->rates.rate->used);
		for (uint32_t i = 0; i < frame->rates.rate->used; i++)
			put(writer, 8, frame->rates.rate->counts[i]);
		break;
	case FRAME_ABORT:
		put(writer, 4, frame->abort.rank);
		put_text(writer, frame->abort.reason, sizeof(frame->abort.reason));
		break;
	case FRAME_TYPES:
		break;
	}
}

size_t frame_encode(const struct frame *frame, uint8_t *bytes, size_t size)
{
	struct writer counter = {0}, writer = {.bytes = bytes, .size = size};
	size_t total;

	put_payload(&counter, frame);
	total = FRAME_HEADER_SIZE + counter.used;
	if (total > size)
		return total;
	put_bytes(&writer, magic, sizeof(magic));
	put(&writer, 2, FRAME_VERSION);
	put(&writer, 2, (uint64_t)frame->type);
	put(&writer, 4, counter.used);
	put_payload(&writer, frame);
	return total;
}

void frame_token(uint64_t token, uint8_t bytes[FRAME_TOKEN_SIZE])
{
	struct writer writer = {.bytes = bytes, .size = FRAME_TOKEN_SIZE};

	put_bytes(&writer, magic, sizeof(magic));
	put(&writer, 8, token);
}

/* --- reading: the first fault stays, and everything behind it reads as 0 --- */

struct reader {
	const uint8_t *bytes;
	size_t left;
	const char *fault;
};

static uint64_t get(struct reader *reader, size_t width)
{
	uint64_t value = 0;

	if (!reader->fault && reader->left < width)
		reader->fault = "it is cut short";
	if (reader->fault)
		return 0;
	for (size_t i = 0; i < width; i++)
		value = value << 8 | *reader->bytes++;
	reader->left -= width;
	return value;
}

/* A number that must lie in a range. */
static uint64_t get_ranged(struct reader *reader, size_t width, uint64_t min, uint64_t max, const char *fault)
{
	const uint64_t value = get(reader, width);

	if (!reader->fault && (value < min || value > max))
		reader->fault = fault;
	return reader->fault ? min : value;
}

static void get_text(struct reader *reader, char *text, size_t size)
{
	const size_t length = (size_t)get_ranged(reader, 2, 0, size - 1, "a text is too long");

	if (!reader->fault && reader->left < length)
		reader->fault = "it is cut short";
	if (!reader->fault && memchr(reader->bytes, '\0', length))
		reader->fault = "a text has a NUL";
	text[0] = '\0';
	if (reader->fault)
		return;
	memcpy(text, reader->bytes, length);
	text[length] = '\0';
	reader->bytes += length;
	reader->left -= length;
}

/* A name that is printed: what could steer a terminal, the C1 controls from 0x80 on as well, is replaced. */
static void get_words(struct reader *reader, char *text, size_t size)
{
	get_text(reader, text, size);
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e)
			*text = '?';
}

static void get_address(struct reader *reader, struct frame_address *address)
{
	memset(address, 0, sizeof(*address));
	address->family = (uint8_t)get(reader, 1);
	if (!reader->fault && address->family && address->family != 4 && address->family != 6)
		reader->fault = "an address is neither IPv4 nor IPv6";
	address->port = (uint16_t)get(reader, 2);
	for (size_t i = 0; !reader->fault && i < frame_address_length(address); i++)
		address->bytes[i] = (uint8_t)get(reader, 1);
}

static struct wide get_wide(struct reader *reader)
{
	const uint64_t high = get(reader, 8);

	return (struct wide){.high = high, .low = get(reader, 8)};
}

/* Do the extremes lie in the outermost buckets? */
static int extremes_fit(const struct latency *latency)
{
	const struct histogram *histogram = &latency->histogram;
	unsigned first = 0, last = HISTOGRAM_BUCKETS - 1;

	if (!histogram->count)
		return latency->min == UINT64_MAX && !latency->max && !latency->sum.high && !latency->sum.low &&
		       !latency->sum_squares.high && !latency->sum_squares.low;
	while (!histogram->bucket[first])
		first++;
	while (!histogram->bucket[last])
		last--;
	return histogram_index(latency->min) == first && histogram_index(latency->max) == last &&
	       latency->min <= latency->max;
}

static void get_latency(struct reader *reader, struct latency *latency)
{
	struct histogram *histogram = &latency->histogram;
	uint64_t next = 0;

	latency->min = get(reader, 8);
	latency->max = get(reader, 8);
	latency->sum = get_wide(reader);
	latency->sum_squares = get_wide(reader);
	for (uint64_t left = get_ranged(reader, 4, 0, HISTOGRAM_BUCKETS, "too many buckets"); left && !reader->fault;
	     left--) {
		const uint64_t index = get_ranged(reader, 2, next, HISTOGRAM_BUCKETS - 1, "buckets are out of order");
		const uint64_t count = get_ranged(reader, 8, 1, UINT64_MAX, "a bucket is empty");

		if (reader->fault)
			return;
		if (count > MAX_COUNT - histogram->count) {
			reader->fault = "the buckets hold too much";
			return;
		}
		histogram->count += count;
		histogram->bucket[index] = count;
		next = index + 1;
	}
	if (!reader->fault && !extremes_fit(latency))
		reader->fault = "the extremes are not those of the buckets";
}

static int is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static void get_rate(struct reader *reader, struct rate *rate)
{
	rate->width_ns = get(reader, 8);
	if (!reader->fault && (rate->width_ns % RATE_WIDTH_NS || rate->width_ns > MAX_WIDTH_NS ||
			       !is_power_of_two(rate->width_ns / RATE_WIDTH_NS)))
		reader->fault = "an interval has a strange width";
	rate->used = (uint32_t)get_ranged(reader, 4, 0, FRAME_MAX_RATES, "too many intervals");
	for (uint32_t i = 0; i < rate->used && !reader->fault; i++)
		rate->counts[i] = get(reader, 8);
}

static void get_peers(struct reader *reader, struct frame *frame)
{
	frame->peers.count = (uint32_t)get_ranged(reader, 4, 2, FRAME_MAX_PEERS, "too many instances");
	for (uint32_t i = 0; i < frame->peers.count && !reader->fault; i++) {
		struct frame_peer *peer = &frame->peers.items[i];

		peer->listens = (uint8_t)get_ranged(reader, 1, 0, 1, "a role is out of range");
		get_words(reader, peer->host, sizeof(peer->host));
		get_address(reader, &peer->address);
	}
}

/* Lists and figures are decoded into the caller's memory; a caller that brought none does not expect them. */
static int has_room(const struct frame *frame)
{
	switch (frame->type) {
	case FRAME_PEERS:
		return frame->peers.items != NULL;
	case FRAME_FIGURES:
		return frame->figures.latency != NULL;
	case FRAME_RATES:
		return frame->rates.rate != NULL;
	default:
		return 1;
	}
}

static void get_payload(struct reader *reader, struct frame *frame)
{
	if (!has_room(frame)) {
		reader->fault = "it is out of order";
		return;
	}
	switch (frame->type) {
	case FRAME_JOIN:
		frame->join.listens = (uint8_t)get_ranged(reader, 1, 0, 1, "a role is out of range");
		frame->join.base_qpn = (uint32_t)get_ranged(reader, 4, 1, 0xffffff, "a QP number is out of range");
		get_words(reader, frame->join.host, sizeof(frame->join.host));
		get_text(reader, frame->join.config, sizeof(frame->join.config));
		break;
	case FRAME_WELCOME:
		frame->welcome.rank = (uint32_t)get_ranged(reader, 4, 1, FRAME_MAX_PEERS - 1, "a rank is out of range");
		frame->welcome.count = (uint32_t)get_ranged(reader, 4, (uint64_t)frame->welcome.rank + 1,
							    FRAME_MAX_PEERS, "a rank is out of range");
		frame->welcome.qpn_first = (uint32_t)get_ranged(reader, 4, 1, 0xffffff, "a QP number is out of range");
		frame->welcome.qpn_count = (uint32_t)get_ranged(reader, 4, 1, 0x1000000 - frame->welcome.qpn_first,
								"a QP number is out of range");
		frame->welcome.token = get(reader, 8);
		get_text(reader, frame->welcome.config, sizeof(frame->welcome.config));
		break;
	case FRAME_REFUSE:
		get_words(reader, frame->refuse, sizeof(frame->refuse));
		break;
	case FRAME_READY:
		get_address(reader, &frame->ready);
		break;
	case FRAME_PEERS:
		get_peers(reader, frame);
		break;
	case FRAME_ARRIVED:
	case FRAME_RELEASE:
		frame->point = (uint32_t)get(reader, 4);
		break;
	case FRAME_ALIVE:
		frame->step = (uint8_t)get_ranged(reader, 1, 0, STEP_COUNT, "a step is out of range");
		break;
	case FRAME_FIGURES:
		frame->figures.test = (uint8_t)get(reader, 1);
		frame->figures.step = (uint8_t)get_ranged(reader, 1, 0, STEP_COUNT - 1, "a step is out of range");
		frame->figures.measure =
			(uint8_t)get_ranged(reader, 1, 0, MEASURE_COUNT - 1, "a measure is out of range");
		frame->figures.total_ns = get(reader, 8);
		get_latency(reader, frame->figures.latency);
		break;
	case FRAME_RATES:
		frame->rates.test = (uint8_t)get(reader, 1);
		frame->rates.connections = get(reader, 8);
		frame->rates.retries = get(reader, 8);
		get_rate(reader, frame->rates.rate);
		break;
	case FRAME_ABORT:
		frame->abort.rank = (uint32_t)get_ranged(reader, 4, 0, FRAME_MAX_PEERS - 1, "a rank is out of range");
		get_words(reader, frame->abort.reason, sizeof(frame->abort.reason));
		break;
	case FRAME_TYPES:
		break;
	}
}

int frame_decode_header(const uint8_t bytes[FRAME_HEADER_SIZE], struct frame_header *header, const char **fault)
{
	struct reader reader = {.bytes = bytes + sizeof(magic), .left = FRAME_HEADER_SIZE - sizeof(magic)};

	if (memcmp(bytes, magic, sizeof(magic)) != 0) {
		*fault = "it does not begin as a message of cmtime";
		return -EPROTO;
	}
	header->version = (uint16_t)get(&reader, 2);
	header->type = (uint16_t)get(&reader, 2);
	header->length = (uint32_t)get(&reader, 4);
	if (header->version != FRAME_VERSION) {
		*fault = "it is of another version";
		return -EPROTONOSUPPORT;
	}
	if (!header->type || header->type >= FRAME_TYPES) {
		*fault = "its type is unknown";
		return -EPROTO;
	}
	if (header->length > types[header->type].limit) {
		*fault = "it is too long";
		return -EPROTO;
	}
	return 0;
}

int frame_decode(const struct frame_header *header, const uint8_t *payload, struct frame *frame, const char **fault)
{
	struct reader reader = {.bytes = payload, .left = header->length};

	frame->type = (enum frame_type)header->type;
	get_payload(&reader, frame);
	if (!reader.fault && reader.left)
		reader.fault = "it has bytes to spare";
	if (!reader.fault)
		return 0;
	*fault = reader.fault;
	return -EPROTO;
}
