// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages of qperf 0.4.11 (wire.h) in the place of this suite's. Its sides go in step: the server sends its results
 * and waits for the client's final message, and either side confirms that the server quits.
 */
#include <string.h>
#include <sys/socket.h>

#include "qperf/control/control.h"

static int decode(struct control *control, const struct message_row *row, void *into)
{
	uint8_t bytes[STAT_SIZE];
	struct codec_reader reader = {.bytes = bytes, .left = row->limit};
	const int ret = control_receive(control, bytes, row->limit, row->noun);

	if (ret || !codec_decode(&row->codec, &reader, into))
		return ret;
	return conn_error(&control->conn, -EBADMSG, "sent an invalid message, its %s: %s", row->noun, reader.fault);
}

static int classic_send(struct channel *channel, unsigned type, const void *from)
{
	struct control *control = (struct control *)channel;
	const struct message_row *row = &qperf_classic[type];
	uint8_t bytes[STAT_SIZE];
	int ret;

	if (!row->noun || (control->client && type == MESSAGE_RESULT))
		return 0;
	ret = control_send(control, bytes, codec_encode(&row->codec, from ? from : "", bytes), row->noun);
	return ret || control->client || type != FRAME_BYE ? ret : decode(control, row, NULL);
}

static int classic_receive(struct channel *channel, unsigned type, void *into)
{
	struct control *control = (struct control *)channel;
	char last[] = SYNC_AFTER;
	int ret = 0;

	if (!qperf_classic[type].noun)
		return 0;
	if (type == MESSAGE_RESULT && !control->client)
		return control_receive(control, last, sizeof(last) - 1, "final message");
	if (type == FRAME_BYE && control->client)
		ret = classic_send(channel, type, NULL);
	if (!ret)
		ret = decode(control, &qperf_classic[type], into);
	if (!ret && type == MESSAGE_RESULT)
		ret = control_send(control, last, sizeof(last) - 1, "final message");
	return ret;
}

/* An urgent '?', and the text behind it. */
static void classic_end(struct channel *channel, unsigned type, const char *reason)
{
	(void)type;
	(void)!send(channel->conn.fd, "?", 1, MSG_OOB | MSG_NOSIGNAL | MSG_DONTWAIT);
	conn_post_last(&channel->conn, reason, strnlen(reason, MESSAGE_REASON_SIZE - 1));
}

const struct control_dialect control_classic = {
	.name = "qperf 0.4.11", .send = classic_send, .receive = classic_receive, .end = classic_end};
