// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames of cxi_send_bw. See channel.h. */
#include "cxi/control/channel.h"

#include <errno.h>

#define ALIVE_MS     250       /* --timeout is at least 1 s */
#define GATHERING_MS 3600000LL /* the longest that a peer may delay a start */

const struct cxi_dialect cxi_native = {.reports = true, .drains = true, .waits = true, .tick_ns = 1};

/* A peer that waits for others says so: this side then waits on. */
static int cxi_channel_take(struct channel *channel, const struct message_header *header, unsigned awaited)
{
	struct cxi_frame frame;
	const int ret = channel_take(channel, header, &frame);

	(void)awaited;
	return ret ? ret : header->type == CXI_FRAME_WAIT;
}

static struct deadline cxi_channel_longest(const struct channel *channel, unsigned awaited)
{
	return channel_limit(channel, awaited == MESSAGE_BARRIER ? GATHERING_MS : -1);
}

static const struct channel_ops native_ops = {.take = cxi_channel_take, .longest = cxi_channel_longest};

void cxi_channel_open(struct cxi_channel *channel, struct conn *conn, int64_t timeout_ms)
{
	*channel = (struct cxi_channel){.is = {.conn = *conn, .protocol = &cxi_messages, .ops = &native_ops},
					.dialect = &cxi_native};
	cxi_channel_limit(channel, timeout_ms);
	*conn = (struct conn){.fd = -1};
}

void cxi_channel_limit(struct cxi_channel *channel, int64_t timeout_ms)
{
	channel->is.timeout_ms = timeout_ms;
	channel_watch(&channel->is, channel->is.format ? 0 : ALIVE_MS, timeout_ms);
}

int cxi_channel_look(struct cxi_channel *channel, struct cxi_frame *frame)
{
	struct message_header header;
	int ret;

	if (channel_test_is_over(&channel->is))
		return channel_report(&channel->is, -ETIMEDOUT, "end");
	ret = channel_look(&channel->is, &header);
	if (ret <= 0)
		return ret;
	frame->type = header.type;
	ret = channel_take(&channel->is, &header, frame);
	return ret ? ret : 1;
}

int cxi_channel_expect(const struct cxi_channel *channel, const struct cxi_frame *frame, uint16_t type)
{
	if (frame->type == type)
		return 0;
	return conn_error(&channel->is.conn, -EBADMSG, "sent its %s while this side waited for its %s",
			  cxi_frame_name(frame->type), cxi_frame_name(type));
}

int cxi_channel_barrier(struct cxi_channel *channel)
{
	const int ret = channel_barrier(&channel->is, channel->barriers);

	if (!ret)
		channel->barriers++;
	return ret;
}
