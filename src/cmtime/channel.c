// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames over a non-blocking socket. See channel.h. */
#include "cmtime/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_SIZE 65536

void channel_open(struct channel *channel, int fd)
{
	*channel = (struct channel){.fd = fd};
}

void channel_close(struct channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	free(channel->in);
	free(channel->out);
	*channel = (struct channel){.fd = -1};
}

static int grow(uint8_t **bytes, size_t *size, size_t want)
{
	uint8_t *grown;

	if (want <= *size)
		return 0;
	want += want / 2;
	grown = realloc(*bytes, want);
	if (!grown)
		return -ENOMEM;
	*bytes = grown;
	*size = want;
	return 0;
}

int channel_flush(struct channel *channel)
{
	while (channel->out_start < channel->out_used) {
		const ssize_t sent = send(channel->fd, channel->out + channel->out_start,
					  channel->out_used - channel->out_start, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		channel->out_start += (size_t)sent;
	}
	channel->out_start = channel->out_used = 0;
	return 0;
}

bool channel_has_output(const struct channel *channel)
{
	return channel->out_start < channel->out_used;
}

int channel_send(struct channel *channel, const struct frame *frame)
{
	const size_t size = frame_encode(frame, NULL, 0);
	int ret;

	if (channel->fd < 0)
		return -ENOTCONN;
	ret = grow(&channel->out, &channel->out_size, channel->out_used + size);
	if (ret)
		return ret;
	frame_encode(frame, channel->out + channel->out_used, size);
	channel->out_used += size;
	return channel_flush(channel);
}

size_t channel_pending(const struct channel *channel)
{
	return channel->in_used - channel->in_start;
}

/* Once for each read, not for each frame: thousands of short frames may come in one read. */
static void compact(struct channel *channel)
{
	if (!channel->in_start)
		return;
	channel->in_used -= channel->in_start;
	memmove(channel->in, channel->in + channel->in_start, channel->in_used);
	channel->in_start = 0;
}

int channel_fill(struct channel *channel)
{
	compact(channel);
	for (;;) {
		ssize_t got;
		int ret;

		/* A frame is at most so long; the rest stays in the socket until frames are dropped. */
		if (channel->in_used >= FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD)
			return 0;
		ret = grow(&channel->in, &channel->in_size, channel->in_used + READ_SIZE);
		if (ret)
			return ret;
		got = recv(channel->fd, channel->in + channel->in_used, READ_SIZE, MSG_DONTWAIT);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (got <= 0)
			return -ECONNRESET;
		channel->in_used += (size_t)got;
	}
}

int channel_peek(const struct channel *channel, struct frame_header *header, const uint8_t **payload,
		 const char **fault)
{
	static const uint8_t magic[] = "PFTC";
	const size_t pending = channel_pending(channel);
	const uint8_t *begin;
	int ret;

	if (!pending)
		return 0;
	begin = channel->in + channel->in_start;
	/* Somebody else's bytes are known by the first of them, however few come. */
	if (memcmp(begin, magic, pending < 4 ? pending : 4) != 0) {
		*fault = "it does not begin as a message of cmtime";
		return -EPROTO;
	}
	if (pending < FRAME_HEADER_SIZE)
		return 0;
	ret = frame_decode_header(begin, header, fault);
	*payload = begin + FRAME_HEADER_SIZE;
	if (ret)
		return ret;
	return pending - FRAME_HEADER_SIZE >= header->length;
}

void channel_drop(struct channel *channel, const struct frame_header *header)
{
	channel->in_start += FRAME_HEADER_SIZE + header->length;
}
