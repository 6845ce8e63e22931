// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* HPE's program as the peer. See hpe.h. */
#include "cxi/control/hpe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "memory/gpu.h"
#include "util/log.h"

#define MAX_DURATION_S 4294 /* it computes with microseconds in 32 bits */

/* --- messages --- */

static int hpe_send(struct cxi_channel *channel, const void *payload, size_t length)
{
	uint8_t bytes[HPE_MAX_SIZE];

	return conn_send(&channel->conn, bytes, hpe_encode(payload, length, bytes),
			 deadline_in_ms(channel->timeout_ms));
}

static int send_result(struct cxi_channel *channel)
{
	uint8_t payload[HPE_RESULT_SIZE];

	channel->hpe.owes_result = false;
	hpe_encode_result(&channel->hpe.own, channel->hpe.list, payload);
	return hpe_send(channel, payload, sizeof(payload));
}

/* The address has been sent; neither ALIVE nor CHECKED has an equivalent. */
static int send_frame(struct cxi_channel *channel, const struct cxi_frame *frame)
{
	struct cxi_hpe_talk *talk = &channel->hpe;
	int ret;

	switch (frame->type) {
	case CXI_FRAME_BARRIER:
		return hpe_send(channel, NULL, 0);
	case CXI_FRAME_RESULT:
		ret = hpe_send(channel, NULL, 0);
		talk->own = frame->sent;
		talk->owes_result = true;
		return ret || talk->next != HPE_RESULT ? ret : send_result(channel);
	default:
		return 0;
	}
}

/* The payload that belongs to what is expected; its length is right, except that of the options. */
static int read_payload(struct cxi_channel *channel, const uint8_t *payload, size_t length, struct cxi_frame *frame,
			const char **fault)
{
	struct cxi_hpe_talk *talk = &channel->hpe;

	switch (talk->next) {
	case HPE_OPTIONS:
		return hpe_decode_options(payload, length, frame->hello.options, &talk->peer.memory, fault);
	case HPE_ADDRESS:
		hpe_decode_address(payload, &talk->peer.address);
		frame->introduction = talk->peer;
		return 0;
	case HPE_READY:
	case HPE_BEGIN:
		frame->barrier = channel->barriers;
		return 0;
	case HPE_OVER:
		return 0;
	case HPE_RESULT:
		return hpe_decode_result(payload, talk->list, &frame->sent, fault);
	}
	return 0;
}

/* What the peer sends, in this order, from HPE_BEGIN on for each size. */
static const struct {
	uint16_t type;
	size_t length; /* of the payload */
	typeof(((struct cxi_hpe_talk *)NULL)->next) then;
} expected[] = {
	[HPE_OPTIONS] = {CXI_FRAME_HELLO, HPE_OPTIONS_SIZE, HPE_ADDRESS},
	[HPE_ADDRESS] = {CXI_FRAME_ADDRESS, HPE_ADDRESS_SIZE, HPE_READY},
	[HPE_READY] = {CXI_FRAME_BARRIER, 0, HPE_BEGIN},
	[HPE_BEGIN] = {CXI_FRAME_BARRIER, 0, HPE_OVER},
	[HPE_OVER] = {CXI_FRAME_OVER, 0, HPE_RESULT},
	[HPE_RESULT] = {CXI_FRAME_RESULT, HPE_RESULT_SIZE, HPE_BEGIN},
};

static int take(struct cxi_channel *channel, struct cxi_frame *frame, const char **fault)
{
	struct cxi_hpe_talk *talk = &channel->hpe;
	const uint8_t *payload;
	size_t length;
	int ret;

	*frame = (struct cxi_frame){.type = expected[talk->next].type};
	/* It has arrived before it was asked for. */
	if (talk->next == HPE_READY && !talk->is_introduced) {
		talk->is_introduced = true;
		*frame = (struct cxi_frame){.type = CXI_FRAME_ADDRESS, .introduction = talk->peer};
		return 1;
	}
	ret = hpe_peek(conn_data(&channel->conn), conn_pending(&channel->conn), &payload, &length);
	*fault = "it is too long";
	if (ret <= 0)
		return ret;
	*fault = "it has another length than that of HPE's program";
	ret = talk->next != HPE_OPTIONS && length != expected[talk->next].length
		      ? -EPROTO
		      : read_payload(channel, payload, length, frame, fault);
	if (ret)
		return ret;
	conn_consume(&channel->conn, HPE_HEADER_SIZE + length);
	talk->next = expected[talk->next].then;
	if (talk->next == HPE_RESULT && talk->owes_result)
		ret = send_result(channel);
	return ret ? ret : 1;
}

const struct cxi_dialect cxi_hpe = {
	.parting = "it is HPE's cxi_send_bw, which says only in its own output why it ends",
	.one_index = true,
	.tick_ns = 1000,
	.send = send_frame,
	.take = take,
};

/* --- meeting --- */

enum hpe_stage hpe_receive(struct conn *conn, bool has_name, char version[HPE_VERSION_SIZE], const char **fault)
{
	struct message_header header;
	const uint8_t *payload;
	enum hpe_stage stage;
	size_t length;
	int ret;

	if (!conn_pending(conn))
		return HPE_MORE;
	if (!message_peek(&cxi_messages, conn_data(conn), 1, &header, fault))
		return HPE_NATIVE;
	ret = hpe_peek(conn_data(conn), conn_pending(conn), &payload, &length);
	if (!ret)
		return HPE_MORE;
	*fault = "it does not begin as cxi_send_bw does";
	if (ret < 0 || (!has_name && !hpe_is_text(payload, length, HPE_NAME)))
		return HPE_UNKNOWN;
	stage = HPE_NAMED;
	if (has_name && hpe_is_text(payload, length, HPE_OUR_VERSION)) {
		stage = HPE_MARKED;
	} else if (has_name) {
		*fault = "it has no version";
		if (hpe_decode_version(payload, length, version))
			return HPE_UNKNOWN;
		stage = HPE_GREETED;
	}
	conn_consume(conn, HPE_HEADER_SIZE + length);
	return stage;
}

int hpe_call(struct conn *conn, struct deadline deadline)
{
	uint8_t bytes[2 * HPE_MAX_SIZE];
	size_t size = hpe_encode(HPE_NAME, sizeof(HPE_NAME), bytes);

	size += hpe_encode(HPE_OUR_VERSION, sizeof(HPE_OUR_VERSION), bytes + size);
	return conn_send(conn, bytes, size, deadline);
}

int hpe_post_name(struct conn *conn)
{
	uint8_t bytes[HPE_MAX_SIZE];

	return conn_post(conn, bytes, hpe_encode(HPE_NAME, sizeof(HPE_NAME), bytes), false);
}

int hpe_post_mark(struct conn *conn)
{
	return message_post(conn, &cxi_messages, CXI_FRAME_ALIVE, NULL, false);
}

/* What its program cannot do. NULL: nothing of it is asked for. */
static const char *find_inability(const struct cxi_params *params, const struct cxi_address *address)
{
	const struct sweep sizes = cxi_sizes(params);
	const bool is_range = sizes.first != sizes.last;

	if (!address->length)
		return "it uses only libcxi: omit --provider";
	if (params->verify)
		return "it cannot check data: omit --verify";
	if (series_repeats(&params->repeat))
		return "it measures each size once: omit --repeat and --until";
	if (params->duration_s > MAX_DURATION_S)
		return "it cannot run for more than 4294 s: give a smaller -D";
	if (is_range && !cxi_sizes_double(&sizes))
		return "it doubles each size: give -s MIN:MAX";
	if (params->duration_s && params->rdzv && params->bidirectional && is_range)
		return "with -R, -b and -D it completes lists between sizes in a way of its own: give one size";
	return NULL;
}

static int refuse_inability(const struct cxi_channel *channel, const struct cxi_params *params,
			    const struct cxi_address *address)
{
	const char *inability = find_inability(params, address);

	if (!inability)
		return 0;
	return conn_error(&channel->conn, -EPROTO, "is HPE's cxi_send_bw: %s", inability);
}

/* noun: what the peer would have sent. 0 or -errno, reported. */
static int send_payload(struct cxi_channel *channel, const void *payload, size_t length, const char *noun)
{
	const int ret = hpe_send(channel, payload, length);

	return ret ? conn_report(&channel->conn, ret, noun, channel->timeout_ms) : 0;
}

/* A GPU is named to the peer, so it is looked for before there are buffers. */
static int send_options(struct cxi_channel *channel, const struct cxi_params *params)
{
	uint8_t payload[HPE_OPTIONS_SIZE];
	const struct gpu_kind *gpu;
	int ret, gpu_type = GPU_AUTO;

	if (params->tx_gpu != CXI_NO_GPU || params->rx_gpu != CXI_NO_GPU) {
		ret = gpu_find((enum gpu_type)params->gpu_type, &gpu);
		if (ret)
			return ret;
		gpu_type = (int)gpu->type;
	}
	hpe_encode_options(params, gpu_type, payload);
	return send_payload(channel, payload, sizeof(payload), "options");
}

static int send_address(struct cxi_channel *channel, const struct cxi_address *address)
{
	uint8_t payload[HPE_ADDRESS_SIZE];

	hpe_encode_address(address, payload);
	return send_payload(channel, payload, sizeof(payload), "address");
}

int hpe_introduce_client(struct cxi_channel *channel, const struct cxi_params *params,
			 const struct cxi_address *address)
{
	struct cxi_frame frame;
	int ret;

	channel->dialect = &cxi_hpe;
	ret = refuse_inability(channel, params, address);
	if (!ret)
		ret = send_options(channel, params);
	if (!ret)
		ret = cxi_channel_await(channel, CXI_FRAME_HELLO, &frame);
	if (!ret)
		ret = send_address(channel, address);
	if (!ret)
		ret = cxi_channel_await(channel, CXI_FRAME_ADDRESS, &frame);
	channel->hpe.list = params->list;
	return ret;
}

int hpe_introduce_server(struct cxi_channel *channel, struct cxi_params *params, const char *version,
			 const struct cxi_address *address)
{
	char reason[OPT_TEXT_SIZE];
	struct cxi_frame frame;
	int ret;

	channel->dialect = &cxi_hpe;
	/* It only goes on with a server of its own version. */
	ret = send_payload(channel, version, strlen(version) + 1, "options");
	if (!ret)
		ret = cxi_channel_await(channel, CXI_FRAME_HELLO, &frame);
	if (ret)
		return ret;
	ret = cxi_options_adopt(params, frame.hello.options, reason, sizeof(reason));
	if (ret)
		log_error("%s", reason);
	else
		ret = refuse_inability(channel, params, address);
	if (!ret)
		ret = send_options(channel, params);
	if (!ret)
		ret = cxi_channel_await(channel, CXI_FRAME_ADDRESS, &frame);
	if (!ret)
		ret = send_address(channel, address);
	channel->hpe.list = params->list;
	return ret;
}
