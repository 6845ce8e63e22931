// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The side channel. See channel.h. */
#include "cxi/control/channel.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "util/log.h"

#define SIGN_MS 250 /* interval of ALIVE; --timeout is at least 1 s */
#define LOOK_MS 100 /* waits are never longer, since ALIVE must be sent */

void cxi_channel_open(struct cxi_channel *channel, struct conn *conn, int64_t timeout_ms)
{
	*channel = (struct cxi_channel){.dialect = &cxi_native, .conn = *conn, .next_sign = deadline_in_ms(SIGN_MS)};
	cxi_channel_limit(channel, timeout_ms);
	*conn = (struct conn){.fd = -1};
}

void cxi_channel_limit(struct cxi_channel *channel, int64_t timeout_ms)
{
	channel->timeout_ms = timeout_ms;
	channel->silence = deadline_in_ms(timeout_ms);
}

static int channel_broken(struct cxi_channel *channel, int error, const char *noun)
{
	/* A silent peer may still be there, and should learn why it is alone. */
	channel->is_over = error != -ETIMEDOUT;
	if (error != -ECONNRESET || !channel->dialect->parting)
		return conn_report(&channel->conn, error, noun, channel->timeout_ms);
	return conn_error(&channel->conn, error, "closed the connection while this side waited for its %s: %s", noun,
			  channel->dialect->parting);
}

static int wrong(const struct cxi_channel *channel, const char *noun, const char *fault)
{
	return log_fail(-EPROTO, "the %s from the %s (%s) is invalid: %s", noun, channel->conn.role, channel->conn.peer,
			fault);
}

/* --- sending --- */

static int native_send(struct cxi_channel *channel, const struct cxi_frame *frame)
{
	return message_transmit(&channel->conn, &cxi_messages, frame->type, frame, deadline_in_ms(channel->timeout_ms));
}

int cxi_channel_send(struct cxi_channel *channel, const struct cxi_frame *frame)
{
	const int ret = channel->dialect->send(channel, frame);
	struct cxi_frame last;
	int found = 1;

	if (!ret || ret == -EINTR)
		return ret;
	/* The peer's last message may have arrived, and says more than that it is gone. */
	while (found > 0)
		found = cxi_channel_look(channel, &last);
	return found ? found : channel_broken(channel, ret, cxi_frame_name(frame->type));
}

void cxi_channel_refuse(struct cxi_channel *channel, const char *reason)
{
	/* To a peer without refusals, the end of the connection must do. */
	if (!channel->is_over && channel->conn.carrier && channel->dialect->signs)
		message_post_end(&channel->conn, &cxi_messages, CXI_FRAME_REFUSAL, reason);
	channel->is_over = true;
}

/* Sends ALIVE if it is due; neither waits nor reports. 0 or -errno. */
static int channel_sign(struct cxi_channel *channel)
{
	if (!channel->dialect->signs || !deadline_passed(channel->next_sign))
		return 0;
	channel->next_sign = deadline_in_ms(SIGN_MS);
	return message_post(&channel->conn, &cxi_messages, CXI_FRAME_ALIVE, NULL, true /* may be dropped */);
}

/* --- receiving --- */

static int native_take(struct cxi_channel *channel, struct cxi_frame *frame, const char **fault)
{
	return cxi_frame_take(&channel->conn, frame, fault);
}

const struct cxi_dialect cxi_native = {
	.signs = true,
	.drains = true,
	.tick_ns = 1,
	.send = native_send,
	.take = native_take,
};

/* 1: the first frame is complete, and was removed. */
static int take_frame(struct cxi_channel *channel, struct cxi_frame *frame)
{
	const char *fault;
	const int ret = channel->dialect->take(channel, frame, &fault);

	if (ret == -EPROTO)
		return wrong(channel, cxi_frame_name(frame->type), fault);
	return ret < 0 ? channel_broken(channel, ret, cxi_frame_name(frame->type)) : ret;
}

/* 1: a frame other than ALIVE; 0: none is left. */
static int take_message(struct cxi_channel *channel, struct cxi_frame *frame)
{
	int ret;

	do {
		ret = take_frame(channel, frame);
		if (ret > 0)
			channel->silence = deadline_in_ms(channel->timeout_ms);
	} while (ret > 0 && frame->type == CXI_FRAME_ALIVE);
	if (ret > 0 && frame->type == CXI_FRAME_REFUSAL) {
		channel->is_over = true;
		return conn_error(&channel->conn, -ECANCELED, "ended: %s", frame->refusal);
	}
	return ret;
}

int cxi_channel_look(struct cxi_channel *channel, struct cxi_frame *frame)
{
	int ret, ret_fill;

	if (channel->is_over)
		return -ECANCELED;
	ret_fill = conn_fill_now(&channel->conn, 0);
	ret = take_message(channel, frame);
	if (ret)
		return ret;
	if (ret_fill)
		return channel_broken(channel, ret_fill, "messages");
	deadline_postpone(&channel->silence, deadline_stopped_ns(&channel->due, LOOK_MS));
	if (channel->dialect->signs && deadline_passed(channel->silence))
		return channel_broken(channel, -ETIMEDOUT, "messages");
	ret = channel_sign(channel);
	/* Receiving will say why. */
	return ret == -ENOMEM ? channel_broken(channel, ret, "messages") : 0;
}

int cxi_channel_expect(const struct cxi_channel *channel, const struct cxi_frame *frame, uint16_t type)
{
	char fault[CXI_NAME_SIZE];

	if (frame->type == type)
		return 0;
	snprintf(fault, sizeof(fault), "it came instead of its %s", cxi_frame_name(type));
	return wrong(channel, cxi_frame_name(frame->type), fault);
}

int cxi_channel_await(struct cxi_channel *channel, uint16_t type, struct cxi_frame *frame)
{
	struct deadline limit = deadline_in_ms(channel->timeout_ms), due = {0};
	int ret;

	for (;;) {
		ret = cxi_channel_look(channel, frame);
		deadline_postpone(&limit, deadline_stopped_ns(&due, LOOK_MS));
		if (ret > 0)
			return cxi_channel_expect(channel, frame, type);
		if (ret)
			return ret;
		/* The peer is alive, but does not do its part. */
		if (deadline_passed(limit))
			return conn_error(&channel->conn, -ETIMEDOUT, "%shas not sent its %s within %g s (--timeout)",
					  channel->dialect->signs ? "is alive, but " : "", cxi_frame_name(type),
					  (double)channel->timeout_ms / 1e3);
		ret = conn_wait(&channel->conn, POLLIN, deadline_in_ms(LOOK_MS));
		if (ret && ret != -ETIMEDOUT)
			return ret == -EINTR ? ret : channel_broken(channel, ret, cxi_frame_name(type));
	}
}

int cxi_channel_swap(struct cxi_channel *channel, struct cxi_frame *frame)
{
	const uint16_t type = frame->type;
	const int ret = cxi_channel_send(channel, frame);

	return ret ? ret : cxi_channel_await(channel, type, frame);
}

int cxi_channel_barrier(struct cxi_channel *channel)
{
	const uint32_t number = channel->barriers;
	struct cxi_frame frame = {.type = CXI_FRAME_BARRIER, .barrier = number};
	int ret = cxi_channel_swap(channel, &frame);

	if (!ret && frame.barrier != number)
		ret = wrong(channel, "barrier", "it is not the next one");
	if (!ret)
		channel->barriers++;
	return ret;
}
