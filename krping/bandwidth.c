// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bandwidth of one connection, with tx-depth RDMA WRITEs in flight. The client writes to the server's sink; with duplex
 * the server also writes to the client's at the same time.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "endpoint.h"

static bool is_writer(const struct krping_endpoint *endpoint)
{
	return krping_is_client(endpoint) || krping_has(endpoint->command, KRPING_DUPLEX);
}

/* Waits until at most `left` of the posted writes are in flight. */
static int wait_for_room(struct krping_endpoint *endpoint, u32 left)
{
	WRITE_ONCE(endpoint->writes_wanted, endpoint->writes.posted - left);
	return krping_wait_or_end(endpoint, krping_writes_are_done, "completion of an RDMA WRITE");
}

static int post_all(struct krping_endpoint *endpoint, const struct krping_remote *remote)
{
	u64 count = endpoint->command->count, posted = 0;
	u32 depth = endpoint->command->tx_depth;
	int err = 0;

	while (!err && (!count || posted < count)) {
		/* wakes up when half of the queue is done: the other half keeps the device busy */
		if (endpoint->writes.posted - smp_load_acquire(&endpoint->writes.done) >= depth)
			err = wait_for_room(endpoint, depth / 2);
		err = err ?: krping_post_write(endpoint, &endpoint->source, remote, remote->size);
		if (!err)
			posted++;
	}
	return err ? err : wait_for_room(endpoint, 0);
}

static int write_all(struct krping_endpoint *endpoint, const struct krping_remote *remote)
{
	struct krping_result *result = endpoint->result;
	u64 began = ktime_get_ns();
	int err = post_all(endpoint, remote);

	result->iterations = READ_ONCE(result->write.messages);
	result->bytes = READ_ONCE(result->write.bytes);
	if (result->iterations)
		result->measured_ns = endpoint->last_write_ns - began;
	err = err ?: krping_send_end(endpoint);
	return err;
}

/* The client stays until the server has written everything; the server until the client disconnects. */
static int finish(struct krping_endpoint *endpoint)
{
	int err = 0;

	if (!krping_is_client(endpoint) || krping_has(endpoint->command, KRPING_DUPLEX))
		err = krping_await_end(endpoint);
	if (!err && !krping_is_client(endpoint))
		err = krping_await_disconnect(endpoint);
	return err;
}

int krping_bw(struct krping_endpoint *endpoint)
{
	struct krping_remote remote;
	int err = 0;

	if (is_writer(endpoint))
		err = krping_buffer_register(endpoint, &endpoint->source, IB_ACCESS_LOCAL_WRITE);
	err = err ?: krping_swap(endpoint, &endpoint->sink, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE, &remote);
	if (!err && is_writer(endpoint))
		err = write_all(endpoint, &remote);
	err = err ?: finish(endpoint);
	return krping_not_expected(endpoint, err, "end of the test");
}
