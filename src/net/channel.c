// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages in order. See channel.h. */
#include "net/channel.h"

#include <errno.h>

#include "util/log.h"
#include "util/terminal.h"

#define LOOK_MS 100 /* no step of a wait is longer if ALIVE must be sent */

static const char any[] = "messages";

static const char *noun_of(const struct channel *channel, unsigned type)
{
	return type ? message_noun(channel->protocol, type) : any;
}

struct deadline channel_limit(const struct channel *channel, int64_t ms)
{
	const struct deadline limit = deadline_in_ms(ms);

	return channel->end.at_ns ? deadline_sooner(channel->end, limit) : limit;
}

void channel_watch(struct channel *channel, int64_t alive_ms, int64_t silence_ms)
{
	channel->alive_ms = alive_ms;
	channel->silence_ms = silence_ms;
	channel->next_alive = deadline_in_ms(alive_ms);
	channel->due = (struct deadline){0};
	channel_note_alive(channel);
}

int channel_report(const struct channel *channel, int error, const char *noun)
{
	if (error == -ETIMEDOUT && channel_test_is_over(channel))
		return log_fail(error, "the test of the %s (%s) takes longer than this side allows (--max_duration)",
				channel->conn.role, channel->conn.peer);
	return conn_report(&channel->conn, error, noun, channel->timeout_ms);
}

static int broken(struct channel *channel, int error, unsigned awaited, bool is_longest)
{
	/* Otherwise the peer may still be there, and should learn why it is alone. */
	channel->is_over |= error != -ETIMEDOUT && error != -EINTR && error != -ENOMEM;
	if (channel->ops && channel->ops->report)
		return channel->ops->report(channel, error, awaited, is_longest);
	return channel_report(channel, error, noun_of(channel, awaited));
}

/* --- the first message --- */

static int invalid(const struct channel *channel, unsigned type, const char *fault)
{
	return conn_error(&channel->conn, -EBADMSG, "sent an invalid message, its %s: %s", noun_of(channel, type),
			  fault);
}

/* 1: it is whole; 0: more bytes are needed; -EBADMSG, reported. */
static int front(struct channel *channel, struct message_header *header)
{
	const size_t pending = conn_pending(&channel->conn);
	char came[MESSAGE_HEADER_SIZE + 1], text[MESSAGE_TEXT_SIZE];
	const char *fault;
	int ret;

	if (channel->format)
		ret = channel->format->front(channel, header, &fault);
	else
		ret = message_front(&channel->conn, channel->protocol, header, &fault);
	if (ret >= 0)
		return ret;
	if (ret == -EPROTONOSUPPORT)
		fault = message_versions(channel->protocol, header, text);
	if (ret == -EPROTONOSUPPORT || channel->format)
		return invalid(channel, header->type, fault);
	return conn_error(&channel->conn, -EBADMSG, "sent garbage, \"%s\": %s",
			  printable(conn_data(&channel->conn),
				    pending < MESSAGE_HEADER_SIZE ? pending : MESSAGE_HEADER_SIZE, came, sizeof(came)),
			  fault);
}

int channel_take(struct channel *channel, const struct message_header *header, void *into)
{
	const char *fault;
	int ret;

	if (channel->format) {
		ret = channel->format->take(channel, into, &fault);
		if (ret != -EPROTO)
			return ret < 0 ? broken(channel, ret, header->type, false) : 0;
	} else {
		ret = message_decode(channel->protocol, header, message_payload(&channel->conn), into, &fault);
		if (!ret)
			message_drop(&channel->conn, header);
	}
	return ret ? invalid(channel, header->type, fault) : 0;
}

/* The peer has ended, and says why. */
static int report_end(struct channel *channel, const struct message_header *header)
{
	char reason[MESSAGE_REASON_SIZE];
	const char *fault;

	channel->is_over = true;
	if (message_decode_end(header, message_payload(&channel->conn), reason, &fault))
		return invalid(channel, header->type, fault);
	return conn_error(&channel->conn, -ECANCELED, "%s: %s",
			  header->type == MESSAGE_ABORT ? "ended the test" : "refuses",
			  reason[0] ? reason : CHANNEL_NO_REASON);
}

int channel_take_end(struct channel *channel)
{
	struct conn *conn = &channel->conn;
	struct message_header header;
	const ssize_t before = message_find_end(channel->protocol, conn_data(conn), conn_pending(conn), &header);

	if (before < 0 || channel->format)
		return 0;
	conn_consume(conn, (size_t)before);
	return report_end(channel, &header);
}

static bool may_precede(const struct channel *channel, unsigned type, unsigned awaited)
{
	return !channel->format && message_row(channel->protocol, type)->during >> awaited & 1;
}

/* The first message, whole, is not the awaited one, and may precede it. As channel_ops.take(). */
static int take_preceding(struct channel *channel, const struct message_header *header, unsigned awaited)
{
	if (message_is_end(header->type))
		return report_end(channel, header);
	if (channel->ops && channel->ops->take)
		return channel->ops->take(channel, header, awaited);
	message_drop(&channel->conn, header);
	return 0;
}

/* --- sending --- */

/* The connection failed while sending; perhaps the peer had said why. Returns the error, reported. */
static int explain(struct channel *channel, int error, unsigned type)
{
	int ret;

	if (error == -ECONNRESET) {
		(void)conn_fill_all(&channel->conn, CONN_ROOM);
		ret = channel_take_end(channel);
		if (ret)
			return ret;
	}
	return broken(channel, error, type, false);
}

int channel_send(struct channel *channel, unsigned type, const void *from)
{
	int ret;

	if (channel->format)
		ret = channel->format->send(channel, type, from);
	else
		ret = message_transmit(&channel->conn, channel->protocol, type, from,
				       channel_limit(channel, channel->timeout_ms));
	return ret ? explain(channel, ret, type) : 0;
}

int channel_post(struct channel *channel, unsigned type, const void *from, bool droppable)
{
	const int ret = message_post(&channel->conn, channel->protocol, type, from, droppable);

	return ret ? explain(channel, ret, CHANNEL_NOTHING) : 0;
}

void channel_end(struct channel *channel, unsigned type, const char *reason)
{
	if (!channel->is_over && !channel->format)
		message_post_end(&channel->conn, channel->protocol, type, reason);
	channel->is_over = true;
}

/* If this fails, receiving says why. */
static void send_alive(struct channel *channel)
{
	if (!channel->alive_ms || !deadline_passed(channel->next_alive))
		return;
	channel->next_alive = deadline_in_ms(channel->alive_ms);
	(void)message_post(&channel->conn, channel->protocol, MESSAGE_ALIVE, NULL, true /* droppable */);
}

bool channel_is_silent(struct channel *channel)
{
	if (!channel->alive_ms)
		return false;
	deadline_postpone(&channel->silence, deadline_stopped_ns(&channel->due, LOOK_MS));
	send_alive(channel);
	return deadline_passed(channel->silence);
}

/* --- receiving --- */

/* Waits for more bytes, in steps if ALIVE must be sent. */
static int wait_step(struct channel *channel, size_t want, struct deadline *limit, struct deadline *due)
{
	struct conn *conn = &channel->conn;
	int ret = conn_over(conn, *limit);

	if (ret || !channel->alive_ms)
		return ret ? ret : conn_fill(conn, want, *limit);
	send_alive(channel);
	ret = conn_fill(conn, want, deadline_sooner(*limit, deadline_in_ms(LOOK_MS)));
	deadline_postpone(limit, deadline_stopped_ns(due, LOOK_MS));
	return ret == -ETIMEDOUT ? 0 : ret; /* the next step sees whether the limit has passed */
}

/* The next look does not count the time of a wait, in which the peer was there. */
static void note_message(struct channel *channel)
{
	channel_note_alive(channel);
	channel->due = deadline_in_ms(LOOK_MS);
}

/* Waits until the first message is whole, and of this type. */
static int await(struct channel *channel, unsigned type, struct message_header *header)
{
	struct deadline limit = channel_limit(channel, channel->timeout_ms), most = limit, due = {0};
	bool is_alive = false;
	int complete, ret = 0;

	if (channel->ops && channel->ops->longest)
		most = channel->ops->longest(channel, type);
	while (!ret) {
		complete = front(channel, header);
		if (complete < 0)
			return complete;
		if (header->type && header->type != type && !may_precede(channel, header->type, type))
			return conn_error(&channel->conn, -EBADMSG, "sent its %s while this side waited for its %s",
					  noun_of(channel, header->type), noun_of(channel, type));
		if (complete && header->type == type) {
			note_message(channel);
			return 0;
		}
		if (!complete) {
			ret = wait_step(channel, MESSAGE_HEADER_SIZE + header->length, &limit, &due);
			continue;
		}
		ret = take_preceding(channel, header, type);
		if (ret < 0)
			return ret;
		is_alive = true;
		if (ret)
			limit = deadline_sooner(channel_limit(channel, channel->timeout_ms), most);
		ret = 0;
	}
	if (ret == -ETIMEDOUT && is_alive && channel->alive_ms)
		return conn_error(&channel->conn, ret, "is alive, but has not sent its %s within %g s (--timeout)",
				  noun_of(channel, type), (double)channel->timeout_ms / 1e3);
	return broken(channel, ret, type, deadline_passed(most));
}

int channel_receive(struct channel *channel, unsigned type, void *into)
{
	struct message_header header;
	const int ret = await(channel, type, &header);

	return ret ? ret : channel_take(channel, &header, into);
}

int channel_swap(struct channel *channel, unsigned type, const void *mine, void *theirs)
{
	const int ret = channel_send(channel, type, mine);

	return ret ? ret : channel_receive(channel, type, theirs);
}

int channel_barrier(struct channel *channel, uint32_t point)
{
	uint32_t theirs;
	const int ret = channel_swap(channel, MESSAGE_BARRIER, &point, &theirs);

	if (ret || theirs == point)
		return ret;
	return conn_error(&channel->conn, -EPROTO, "is at step %u of the test, but this side is at step %u", theirs,
			  point);
}

/* --- looking --- */

/*
 * The peer is gone, or sent more than there is room for. What arrived and was not taken belongs to an exchange that
 * this side has yet to reach: only the message by which the peer ends can follow it.
 */
static int end_early(struct channel *channel, int received)
{
	const int ret = channel_take_end(channel);

	if (ret || received)
		return ret ? ret : broken(channel, received, CHANNEL_NOTHING, false);
	return conn_error(&channel->conn, -EBADMSG, "sent more than the protocol allows while a test runs");
}

int channel_look(struct channel *channel, struct message_header *header)
{
	int complete, received, ret;

	if (channel->is_over)
		return -ECANCELED;
	received = conn_fill_now(&channel->conn, 0);
	while ((complete = front(channel, header)) > 0) {
		channel_note_alive(channel);
		if (!may_precede(channel, header->type, CHANNEL_NOTHING))
			break;
		ret = take_preceding(channel, header, CHANNEL_NOTHING);
		if (ret < 0)
			return ret;
	}
	if (complete < 0)
		return complete;
	if ((received || conn_is_full(&channel->conn)) && (!complete || channel->keeps))
		return end_early(channel, received);
	if (complete || !channel_is_silent(channel))
		return complete;
	return broken(channel, -ETIMEDOUT, CHANNEL_NOTHING, false);
}
