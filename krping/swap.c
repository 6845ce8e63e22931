// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Start and end of wlat, rlat and bw on both sides. */
#include "endpoint.h"

#define ASKED 4

static int advertise(struct krping_endpoint *endpoint, const struct krping_buffer *buffer)
{
	return krping_post_send(endpoint, krping_buffer_advert(endpoint, buffer), 0);
}

int krping_swap(struct krping_endpoint *endpoint, struct krping_buffer *buffer, int access,
		struct krping_remote *remote)
{
	int err = krping_buffer_register(endpoint, buffer, access);

	if (!err && krping_is_client(endpoint))
		err = advertise(endpoint, buffer);
	err = err ?: krping_await_message(endpoint, remote, "peer's advertisement");
	if (!err && remote->size != endpoint->command->size)
		err = krping_result_fail(endpoint->result, -EPROTO, "the peer advertises %u bytes in place of %llu",
					 remote->size, endpoint->command->size);
	if (!err && !krping_is_client(endpoint))
		err = advertise(endpoint, buffer);
	return err;
}

/* A message with different content: time, then the iterations in two halves. */
int krping_send_end(struct krping_endpoint *endpoint)
{
	const struct krping_result *result = endpoint->result;
	struct krping_remote end = {
		.address = result->measured_ns,
		.rkey = result->iterations >> 32,
		.size = result->iterations,
	};

	int err = krping_post_send(endpoint, end, 0);

	/* a disconnect would discard unsent messages */
	return err ? err : krping_finish_sends(endpoint);
}

/*
 * A peer that disappears silently is detected by a query to its device, ASKED times within the limit of a wait. One
 * query is outstanding at a time; it ends with an answer, when the device's retries are exhausted, or at the limit.
 */
static int attend(struct krping_endpoint *endpoint, krping_ready_fn ready)
{
	static const char what[] = "end of the peer's test";
	unsigned int unanswered = 0;
	long left;
	int err;

	for (;;) {
		left = krping_pause(endpoint, ready, max(krping_limit(endpoint) / ASKED, 1L));
		if (left || ready(endpoint) || krping_is_over(endpoint))
			return krping_verdict(endpoint, ready, left, what);
		unanswered = krping_is_alive(endpoint) ? 0 : unanswered + 1;
		if (unanswered > ASKED)
			return krping_result_fail(endpoint->result, -ETIMEDOUT, "the peer's device does not answer");
		if (unanswered)
			continue;
		err = krping_post_alive(endpoint);
		if (err)
			return err;
	}
}

int krping_await_end(struct krping_endpoint *endpoint)
{
	struct krping_remote end;
	int err = attend(endpoint, krping_message_is_there);

	if (err == -ENOTCONN) { /* it may have arrived before the disconnect, but be seen after it */
		ib_drain_qp(endpoint->cm_id->qp);
		err = krping_message_is_there(endpoint) ? 0 : err;
	}
	err = err ?: krping_await_message(endpoint, &end, "peer's figures");
	if (!err) {
		endpoint->result->peers.measured_ns = end.address;
		endpoint->result->peers.iterations = (u64)end.rkey << 32 | end.size;
	}
	return err;
}

static bool never(const struct krping_endpoint *endpoint)
{
	return false;
}

int krping_await_disconnect(struct krping_endpoint *endpoint)
{
	int err = attend(endpoint, never);

	return err == -ENOTCONN ? 0 : err;
}
