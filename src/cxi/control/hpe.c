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

static int hpe_send(struct channel *channel, const void *payload, size_t length)
{
	uint8_t bytes[HPE_MAX_SIZE];

	return conn_send(&channel->conn, bytes, hpe_encode(payload, length, bytes),
			 channel_limit(channel, channel->timeout_ms));
}

static int send_result(struct cxi_channel *channel)
{
	uint8_t payload[HPE_RESULT_SIZE];

	channel->hpe.owes_result = false;
	hpe_encode_result(&channel->hpe.own, channel->hpe.list, payload);
	return hpe_send(&channel->is, payload, sizeof(payload));
}

/* The address has been sent; neither ALIVE nor CHECKED has an equivalent. */
static int send_frame(struct channel *is, unsigned type, const void *from)
{
	struct cxi_channel *channel = (struct cxi_channel *)is;
	struct cxi_hpe_talk *talk = &channel->hpe;
	const struct cxi_frame *frame = from;
	int ret;

	switch (type) {
	case MESSAGE_BARRIER:
		return hpe_send(is, NULL, 0);
	case MESSAGE_RESULT:
		ret = hpe_send(is, NULL, 0);
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
	[HPE_OPTIONS] = {MESSAGE_HELLO, HPE_OPTIONS_SIZE, HPE_ADDRESS},
	[HPE_ADDRESS] = {MESSAGE_ENDPOINTS, HPE_ADDRESS_SIZE, HPE_READY},
	[HPE_READY] = {MESSAGE_BARRIER, 0, HPE_BEGIN},
	[HPE_BEGIN] = {MESSAGE_BARRIER, 0, HPE_OVER},
	[HPE_OVER] = {CXI_FRAME_OVER, 0, HPE_RESULT},
	[HPE_RESULT] = {MESSAGE_RESULT, HPE_RESULT_SIZE, HPE_BEGIN},
};

/* The address has arrived before it was asked for. */
static bool address_is_next(const struct cxi_hpe_talk *talk)
{
	return talk->next == HPE_READY && !talk->is_introduced;
}

static int front(struct channel *is, struct message_header *header, const char **fault)
{
	const struct cxi_hpe_talk *talk = &((struct cxi_channel *)is)->hpe;
	const uint8_t *payload;
	size_t length;

	*fault = "it is too long";
	*header =
		(struct message_header){.type = address_is_next(talk) ? MESSAGE_ENDPOINTS : expected[talk->next].type};
	return address_is_next(talk) ? 1 : hpe_peek(conn_data(&is->conn), conn_pending(&is->conn), &payload, &length);
}

static int take(struct channel *is, void *into, const char **fault)
{
	struct cxi_channel *channel = (struct cxi_channel *)is;
	struct cxi_hpe_talk *talk = &channel->hpe;
	struct cxi_frame *frame = into;
	const uint8_t *payload;
	size_t length;
	int ret;

	if (address_is_next(talk)) {
		talk->is_introduced = true;
		frame->introduction = talk->peer;
		return 0;
	}
	hpe_peek(conn_data(&is->conn), conn_pending(&is->conn), &payload, &length);
	*fault = "it has another length than that of HPE's program";
	ret = talk->next != HPE_OPTIONS && length != expected[talk->next].length
		      ? -EPROTO
		      : read_payload(channel, payload, length, frame, fault);
	if (ret)
		return ret;
	conn_consume(&is->conn, HPE_HEADER_SIZE + length);
	talk->next = expected[talk->next].then;
	return talk->next == HPE_RESULT && talk->owes_result ? send_result(channel) : 0;
}

static int report(const struct channel *is, int error, unsigned awaited, bool is_longest)
{
	(void)is_longest;
	if (error != -ECONNRESET)
		return channel_report(is, error, cxi_frame_name((uint16_t)awaited));
	return conn_error(&is->conn, error,
			  "closed the connection while this side waited for its %s: it is HPE's cxi_send_bw, which "
			  "says only in its own output why it ends",
			  awaited ? cxi_frame_name((uint16_t)awaited) : "messages");
}

static void speak_hpe(struct cxi_channel *channel)
{
	static const struct cxi_dialect dialect = {.one_index = true, .tick_ns = 1000};
	static const struct channel_format format = {.send = send_frame, .front = front, .take = take};
	static const struct channel_ops ops = {.report = report};

	channel->dialect = &dialect;
	channel->is.format = &format;
	channel->is.ops = &ops;
	cxi_channel_limit(channel, channel->is.timeout_ms); /* it sends no ALIVE */
}

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
	return message_post(conn, &cxi_messages, MESSAGE_ALIVE, NULL, false);
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
	return conn_error(&channel->is.conn, -EPROTO, "is HPE's cxi_send_bw: %s", inability);
}

/* noun: what the peer would have sent. 0 or -errno, reported. */
static int send_payload(struct cxi_channel *channel, const void *payload, size_t length, const char *noun)
{
	const int ret = hpe_send(&channel->is, payload, length);

	return ret ? channel_report(&channel->is, ret, noun) : 0;
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

	speak_hpe(channel);
	ret = refuse_inability(channel, params, address);
	if (!ret)
		ret = send_options(channel, params);
	if (!ret)
		ret = channel_receive(&channel->is, MESSAGE_HELLO, &frame);
	if (!ret)
		ret = send_address(channel, address);
	if (!ret)
		ret = channel_receive(&channel->is, MESSAGE_ENDPOINTS, &frame);
	channel->hpe.list = params->list;
	return ret;
}

int hpe_introduce_server(struct cxi_channel *channel, struct cxi_params *params, const char *version,
			 const struct cxi_address *address)
{
	char reason[OPT_TEXT_SIZE];
	const bool explains = params->explain; /* for itself: that program cannot ask for it */
	struct cxi_frame frame;
	int ret;

	speak_hpe(channel);
	/* It only goes on with a server of its own version. */
	ret = send_payload(channel, version, strlen(version) + 1, "options");
	if (!ret)
		ret = channel_receive(&channel->is, MESSAGE_HELLO, &frame);
	if (ret)
		return ret;
	params->explain = false;
	ret = cxi_options_adopt(params, frame.hello.options, reason, sizeof(reason));
	params->explain = explains;
	if (ret)
		log_error("%s", reason);
	else
		ret = refuse_inability(channel, params, address);
	if (!ret)
		ret = send_options(channel, params);
	if (!ret)
		ret = channel_receive(&channel->is, MESSAGE_ENDPOINTS, &frame);
	if (!ret)
		ret = send_address(channel, address);
	channel->hpe.list = params->list;
	return ret;
}
