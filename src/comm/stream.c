// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How does a conversation send and receive whole messages? See stream.h. */
#include "comm/stream.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "comm/carrier.h"
#include "util/log.h"
#include "util/stop.h"

/* Room for any message that may come while a loop runs, because nothing is allocated then. */
#define FIRST_SIZE 8192U

int stream_open(struct comm *comm, bool client, int64_t timeout_ms)
{
	comm->in = malloc(FIRST_SIZE);
	if (!comm->in) {
		log_error("out of memory for the side channel");
		return -ENOMEM;
	}
	comm->in_size = FIRST_SIZE;
	comm->client = client;
	comm->timeout_ms = timeout_ms;
	return 0;
}

struct deadline stream_limit_of(const struct comm *comm, int64_t ms)
{
	const struct deadline limit = deadline_in_ms(ms);

	return comm->end.at_ns && comm->end.at_ns < limit.at_ns ? comm->end : limit;
}

struct deadline stream_limit(const struct comm *comm)
{
	return stream_limit_of(comm, comm->timeout_ms);
}

bool stream_is_over(const struct comm *comm)
{
	return comm->end.at_ns && deadline_passed(comm->end);
}

int stream_over(struct deadline deadline)
{
	if (stop_requested())
		return -EINTR;
	return deadline_passed(deadline) ? -ETIMEDOUT : 0;
}

/* Sends what stream_post() left behind, as far as it goes now. */
static int flush_now(struct comm *comm)
{
	ssize_t sent;

	if (comm->out_broken)
		return -ECONNRESET;
	if (!comm->out_used)
		return 0;
	sent = comm->carrier->send_now(comm, comm->out, comm->out_used);
	if (sent < 0)
		return (int)sent;
	comm->out_used -= (size_t)sent;
	memmove(comm->out, comm->out + sent, comm->out_used);
	return 0;
}

int stream_send(struct comm *comm, const void *bytes, size_t length)
{
	const struct deadline deadline = stream_limit(comm);
	size_t done = 0;
	int rc;

	for (;;) {
		rc = flush_now(comm);
		if (rc)
			break;
		if (!comm->out_used) {
			ssize_t sent = comm->carrier->send_now(comm, (const uint8_t *)bytes + done, length - done);

			if (sent < 0) {
				rc = (int)sent;
				break;
			}
			done += (size_t)sent;
			if (done == length)
				return 0;
			/* One who takes a little all the time makes no wait long. */
			if (sent > 0 && !stream_over(deadline))
				continue;
		}
		rc = comm->carrier->wait(comm, POLLOUT, deadline);
		if (!rc)
			rc = stream_over(deadline);
		if (rc)
			break;
	}
	comm->out_broken = comm->out_broken || done > 0;
	return rc;
}

int stream_post(struct comm *comm, const void *bytes, size_t length, bool droppable)
{
	ssize_t sent = 0;
	int rc = flush_now(comm);

	if (rc)
		return rc;
	if (comm->out_used && droppable)
		return 0;
	if (!comm->out_used) {
		sent = comm->carrier->send_now(comm, bytes, length);
		if (sent < 0)
			return (int)sent;
	}
	length -= (size_t)sent;
	if (length > sizeof(comm->out) - comm->out_used)
		return -EAGAIN;
	memcpy(comm->out + comm->out_used, (const uint8_t *)bytes + sent, length);
	comm->out_used += length;
	return 0;
}

void stream_post_last(struct comm *comm, const void *bytes, size_t length)
{
	if (!flush_now(comm) && !comm->out_used)
		(void)comm->carrier->send_now(comm, bytes, length);
	comm->out_broken = true;
}

void stream_finish(struct comm *comm)
{
	(void)flush_now(comm);
	comm->out_broken = true;
	if (comm->carrier->finish)
		comm->carrier->finish(comm);
}

/* Up to want bytes in all, for which there is room, or the first size. */
static int fill_now(struct comm *comm, size_t want)
{
	const size_t most = want > FIRST_SIZE ? want : FIRST_SIZE;
	ssize_t received;

	/* Should this fail, the receiving says why, and what the peer said last is not lost. */
	if (comm->out_used)
		(void)flush_now(comm);
	if (comm->in_used >= most)
		return 0;
	received = comm->carrier->receive_now(comm, comm->in + comm->in_used, most - comm->in_used);
	if (received < 0)
		return (int)received;
	comm->in_used += (size_t)received;
	return 0;
}

int stream_fill_now(struct comm *comm)
{
	return fill_now(comm, 0 /* no message in particular */);
}

bool stream_is_full(const struct comm *comm)
{
	return comm->in_used >= FIRST_SIZE;
}

static int make_room(struct comm *comm, size_t want)
{
	uint8_t *grown;

	if (want <= comm->in_size)
		return 0;
	grown = realloc(comm->in, want);
	if (!grown)
		return -ENOMEM;
	comm->in = grown;
	comm->in_size = want;
	return 0;
}

int stream_fill_ready(struct comm *comm, size_t want)
{
	int rc = make_room(comm, want);

	return rc ? rc : fill_now(comm, want);
}

int stream_fill(struct comm *comm, size_t want, struct deadline deadline)
{
	const size_t before = comm->in_used;
	int room = make_room(comm, want);

	if (room)
		return room;
	for (;;) {
		int rc = fill_now(comm, want);

		if (rc || comm->in_used > before)
			return rc;
		rc = comm->carrier->wait(comm, comm->out_used ? POLLIN | POLLOUT : POLLIN, deadline);
		if (rc)
			return rc;
	}
}

void stream_consume(struct comm *comm, size_t length)
{
	comm->in_used -= length;
	memmove(comm->in, comm->in + length, comm->in_used);
}

const char *stream_peer_role(const struct comm *comm)
{
	return comm->client ? "server" : "client";
}

int stream_report(const struct comm *comm, int error, const char *noun)
{
	const char *role = stream_peer_role(comm);

	switch (error) {
	case -EINTR:
		return error;
	case -ENOMEM:
		log_error("out of memory for the %s of the %s (%s)", noun, role, comm->peer);
		return error;
	case -ETIMEDOUT:
		if (stream_is_over(comm)) {
			log_error("the test of the %s (%s) takes longer than this side allows (--max_duration)", role,
				  comm->peer);
			return error;
		}
		log_error("the %s (%s) was silent for %g s while this side waited for its %s", role, comm->peer,
			  comm->timeout_ms / 1e3, noun);
		return error;
	case -ECONNRESET:
		log_error("the %s (%s) closed the connection while this side waited for its %s and gave no reason: "
			  "it was killed or crashed; see its own output",
			  role, comm->peer, noun);
		return error;
	default:
		log_error("the connection to the %s (%s) broke while this side waited for its %s: %s", role, comm->peer,
			  noun, strerror(-error));
		return -ECONNRESET;
	}
}

int stream_report_busy(const struct comm *comm, int error)
{
	log_error("the server (%s) did not answer within %g s: it is probably serving another client", comm->peer,
		  (double)comm->timeout_ms / 1e3);
	return error;
}

const char *stream_printable(const uint8_t *bytes, size_t length, char *text, size_t size)
{
	size_t i;

	for (i = 0; i < length && i + 1 < size; i++)
		text[i] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.';
	text[i] = '\0';
	return text;
}
