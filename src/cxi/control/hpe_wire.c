// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Encodes and decodes the messages of HPE's program. See hpe.h. */
#include "cxi/control/hpe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/codec.h"

#define NS_PER_US 1000

/* --- messages --- */

size_t hpe_encode(const void *payload, size_t length, uint8_t bytes[HPE_MAX_SIZE])
{
	struct codec_writer writer = {.bytes = bytes, .little_endian = true};

	codec_put(&writer, HPE_HEADER_SIZE, length);
	codec_put_bytes(&writer, payload, length);
	return writer.used;
}

int hpe_peek(const uint8_t *bytes, size_t count, const uint8_t **payload, size_t *length)
{
	struct codec_reader reader = {.bytes = bytes, .left = count, .little_endian = true};
	uint64_t size;

	if (count < HPE_HEADER_SIZE)
		return 0;
	size = codec_get(&reader, HPE_HEADER_SIZE);
	if (size > HPE_MAX_PAYLOAD)
		return -EPROTO;
	if (size > reader.left)
		return 0;
	*payload = reader.bytes;
	*length = size;
	return 1;
}

/* --- texts --- */

bool hpe_is_text(const uint8_t *payload, size_t length, const char *text)
{
	return length == strlen(text) + 1 && memcmp(payload, text, length) == 0;
}

/* Of the first two numbers of a version, with a point between; 0: it has none. */
static size_t numbers_length(const char *version)
{
	static const char digits[] = "0123456789";
	const size_t first = strspn(version, digits);
	const size_t second = version[first] == '.' ? strspn(version + first + 1, digits) : 0;

	return first && second ? first + 1 + second : 0;
}

int hpe_decode_version(const uint8_t *payload, size_t length, char version[HPE_VERSION_SIZE])
{
	char text[HPE_VERSION_SIZE];

	if (!length || length > sizeof(text) || memchr(payload, '\0', length) != payload + length - 1)
		return -EPROTO;
	codec_copy_text(text, payload, length - 1);
	if (!numbers_length(text))
		return -EPROTO;
	memcpy(version, text, length);
	return 0;
}

bool hpe_versions_agree(const char *version, const char *other)
{
	const size_t length = numbers_length(version);

	return length && length == numbers_length(other) && memcmp(version, other, length) == 0;
}

/* --- options --- */

enum {
	FLAG_BIDIRECTIONAL = 1 << 0,
	FLAG_EMULATION = 1 << 3, /* times come from a counter of an emulated NIC */
	HUGE_SHIFT = 4,		 /* two bits, as enum huge_pages; 3: not applicable */
	HUGE_MASK = 3,
};

enum {
	TRAIT_IDC = 1 << 1,
	TRAIT_RENDEZVOUS = 1 << 3,
};

/* Of 9 bits for each direction: whether there is a GPU is the highest. */
#define GPU_BITS  9
#define GPU_IS_ON 0x100U
#define GPU_INDEX 0xffU

struct hpe_options {
	uint64_t iters;
	uint32_t duration_s;
	uint16_t list;
	uint16_t flags;
	uint64_t min, max;
	uint64_t buf_size, buf_align;
	uint8_t traits;
	/* of the side that sends this */
	uint32_t svc_id, device;
	uint16_t port;
	uint8_t gpu_type; /* enum gpu_type, in 8 bits */
	uint64_t gpus;	  /* for tx, and above that for rx */
};

#define NUMBER(member) CODEC_NUMBER(struct hpe_options, member, 0, UINT64_MAX, "an option is out of range")

/* What is unused belongs to HPE's other programs, is computed by each side, or is the peer's copy of our own part. */
static const struct codec_field options_fields[] = {
	CODEC_UNUSED(5),   NUMBER(iters),    CODEC_UNUSED(16), NUMBER(duration_s), NUMBER(list),
	NUMBER(flags),	   NUMBER(min),	     NUMBER(max),      NUMBER(buf_size),   CODEC_UNUSED(8),
	NUMBER(buf_align), NUMBER(traits),   CODEC_UNUSED(3),  NUMBER(svc_id),	   NUMBER(device),
	NUMBER(port),	   NUMBER(gpu_type), CODEC_UNUSED(5),  NUMBER(gpus),	   CODEC_UNUSED(24),
};
static const struct codec options_codec = {CODEC_TABLE(options_fields), .little_endian = true};

static uint64_t gpu_bits(int index)
{
	return index == CXI_NO_GPU ? 0 : GPU_IS_ON | ((unsigned)index & GPU_INDEX);
}

void hpe_encode_options(const struct cxi_params *params, int gpu_type, uint8_t payload[HPE_OPTIONS_SIZE])
{
	const struct sweep sizes = cxi_sizes(params);
	struct hpe_options options = {
		.iters = params->iters,
		.duration_s = params->duration_s,
		.list = params->list,
		.flags =
			(uint16_t)((params->bidirectional ? FLAG_BIDIRECTIONAL : 0) | params->huge_pages << HUGE_SHIFT),
		.min = sizes.first,
		.max = sizes.last,
		.buf_size = params->buf_size,
		.buf_align = params->buf_align,
		.traits = (uint8_t)((!params->no_idc && !params->rdzv && params->tx_gpu == CXI_NO_GPU ? TRAIT_IDC : 0) |
				    (params->rdzv ? TRAIT_RENDEZVOUS : 0)),
		.svc_id = params->place.svc_id,
		.device =
			(uint32_t)strtoul(params->place.device + strcspn(params->place.device, "0123456789"), NULL, 10),
		.port = params->port,
		.gpu_type = (uint8_t)gpu_type,
		.gpus = gpu_bits(params->tx_gpu) | gpu_bits(params->rx_gpu) << GPU_BITS,
	};

	codec_encode(&options_codec, &options, payload);
}

static void options_to_params(const struct hpe_options *options, struct cxi_params *params)
{
	cxi_params_init(params);
	params->iters = options->iters;
	params->duration_s = options->duration_s;
	params->list = options->list;
	params->bidirectional = options->flags & FLAG_BIDIRECTIONAL;
	params->huge_pages = options->flags >> HUGE_SHIFT & HUGE_MASK;
	snprintf(params->size, sizeof(params->size), "%" PRIu64 ":%" PRIu64, options->min, options->max);
	if (options->min == options->max)
		*strchr(params->size, ':') = '\0';
	params->buf_size = options->buf_size;
	params->buf_align = options->buf_align;
	params->rdzv = options->traits & TRAIT_RENDEZVOUS;
	params->no_idc = !(options->traits & TRAIT_IDC) && !params->rdzv;
}

static void hpe_memory_of(const struct hpe_options *options, struct cxi_memory *memory)
{
	static const char *const vendors[] = {[GPU_AMD] = "AMD", [GPU_NVIDIA] = "NVIDIA", [GPU_INTEL] = "INTEL"};
	const unsigned tx = options->gpus & (GPU_IS_ON | GPU_INDEX);
	const unsigned rx = options->gpus >> GPU_BITS & (GPU_IS_ON | GPU_INDEX);

	*memory = (struct cxi_memory){0};
	cxi_memory_name(memory->tx, tx & GPU_IS_ON ? (int)(tx & GPU_INDEX) : CXI_NO_GPU);
	cxi_memory_name(memory->rx, rx & GPU_IS_ON ? (int)(rx & GPU_INDEX) : CXI_NO_GPU);
	if ((tx | rx) & GPU_IS_ON && options->gpu_type < sizeof(vendors) / sizeof(vendors[0]))
		snprintf(memory->gpu, sizeof(memory->gpu), "%s", vendors[options->gpu_type]);
}

static int fault_of(const char **fault, const char *words)
{
	*fault = words;
	return -EPROTO;
}

int hpe_decode_options(const uint8_t *payload, size_t length, char text[CXI_OPTIONS_SIZE], struct cxi_memory *memory,
		       const char **fault)
{
	struct codec_reader reader = {.bytes = payload, .left = length, .little_endian = true};
	struct hpe_options options;
	struct cxi_params params;

	if (length != HPE_OPTIONS_SIZE)
		return fault_of(fault, "it is not as long as those of HPE's versions 2.2 to 2.4");
	if (codec_decode(&options_codec, &reader, &options))
		return fault_of(fault, reader.fault);
	if (options.flags & FLAG_EMULATION)
		return fault_of(fault, "--emu-mode needs an emulated NIC");
	if ((options.flags >> HUGE_SHIFT & HUGE_MASK) > HUGE_1G)
		return fault_of(fault, "its huge pages have no known size");
	options_to_params(&options, &params);
	cxi_options_export(&params, text);
	hpe_memory_of(&options, memory);
	return 0;
}

/* --- addresses and results --- */

static void swap_words(const uint8_t *from, bool from_little, uint8_t *to, bool to_little)
{
	struct codec_reader reader = {.bytes = from, .left = HPE_ADDRESS_SIZE, .little_endian = from_little};
	struct codec_writer writer = {.bytes = to, .little_endian = to_little};

	while (reader.left)
		codec_put(&writer, sizeof(uint32_t), codec_get(&reader, sizeof(uint32_t)));
}

void hpe_encode_address(const struct cxi_address *address, uint8_t payload[HPE_ADDRESS_SIZE])
{
	swap_words(address->bytes, false, payload, true);
}

void hpe_decode_address(const uint8_t payload[HPE_ADDRESS_SIZE], struct cxi_address *address)
{
	address->length = HPE_ADDRESS_SIZE;
	swap_words(payload, true, address->bytes, false);
}

void hpe_encode_result(const struct cxi_sent *sent, uint32_t list, uint8_t payload[HPE_RESULT_SIZE])
{
	struct codec_writer writer = {.bytes = payload, .little_endian = true};

	codec_put(&writer, sizeof(uint64_t), sent->elapsed_ns / NS_PER_US);
	codec_put(&writer, sizeof(uint64_t), sent->finished * list);
}

int hpe_decode_result(const uint8_t payload[HPE_RESULT_SIZE], uint32_t list, struct cxi_sent *sent, const char **fault)
{
	struct codec_reader reader = {.bytes = payload, .left = HPE_RESULT_SIZE, .little_endian = true};
	const uint64_t elapsed_us = codec_get(&reader, sizeof(uint64_t)), sends = codec_get(&reader, sizeof(uint64_t));

	if (elapsed_us > UINT64_MAX / NS_PER_US)
		return fault_of(fault, "its time is impossible");
	if (sends % list)
		return fault_of(fault, "its sends are not whole lists");
	if (sends && !elapsed_us)
		return fault_of(fault, "its sends took no time");
	*sent = (struct cxi_sent){
		.started = sends / list, .finished = sends / list, .elapsed_ns = elapsed_us * NS_PER_US};
	return 0;
}
