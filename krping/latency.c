// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of an RDMA WRITE (wlat) or an RDMA READ (rlat).
 *
 * wlat: both sides write to each other's sink in turn, and detect the other's write by its last byte; records half of
 * each round trip. rlat: the client reads the server's source; records the time from post to completion.
 */
#include <linux/ktime.h>

#include "endpoint.h"

static u8 *last_byte(const struct krping_buffer *buffer)
{
	return (u8 *)buffer->data + buffer->size - 1;
}

static bool write_has_come(const struct krping_endpoint *endpoint)
{
	const struct krping_buffer *sink = &endpoint->sink;

	ib_dma_sync_single_for_cpu(endpoint->pd->device, sg_dma_address(&sink->sg) + sink->size - 1, 1,
				   DMA_BIDIRECTIONAL);
	return READ_ONCE(*last_byte(sink)) == endpoint->expected;
}

/* Writes are counted from 1, so that zeroed memory does not look like one. */
static void prepare(struct krping_endpoint *endpoint, u64 number)
{
	krping_buffer_to_cpu(endpoint, &endpoint->source);
	*last_byte(&endpoint->source) = number;
	krping_buffer_to_device(endpoint, &endpoint->source);
}

static int await_write(struct krping_endpoint *endpoint, u64 number)
{
	endpoint->expected = number;
	return krping_spin(endpoint, write_has_come, "peer's RDMA WRITE");
}

static void record(struct krping_endpoint *endpoint, u64 ns)
{
	krping_histogram_record(&endpoint->result->figures[KRPING_ITERATION].histogram, ns);
	WRITE_ONCE(endpoint->result->iterations, endpoint->result->iterations + 1);
}

static int write_first(struct krping_endpoint *endpoint, const struct krping_remote *remote)
{
	u64 count = endpoint->command->count, number, began;
	int err = 0;

	for (number = 1; !err && (!count || number <= count); number++) {
		prepare(endpoint, number);
		began = ktime_get_ns();
		err = krping_post_write(endpoint, &endpoint->source, remote, remote->size);
		err = err ?: await_write(endpoint, number);
		if (err)
			break;
		record(endpoint, (ktime_get_ns() - began) / 2);
		/* before the source changes: until then the device may retransmit it */
		err = krping_finish_writes(endpoint);
	}
	return krping_not_expected(endpoint, err, "server's RDMA WRITE");
}

static int write_back(struct krping_endpoint *endpoint, const struct krping_remote *remote)
{
	u64 number;
	int err;

	for (number = 1;; number++) {
		err = await_write(endpoint, number);
		if (err)
			return err;
		prepare(endpoint, number);
		err = krping_post_write(endpoint, &endpoint->source, remote, remote->size);
		if (err)
			return err;
		/* this one counts, even if the client leaves before it is acknowledged */
		WRITE_ONCE(endpoint->result->iterations, number);
		err = krping_finish_writes(endpoint);
		if (err)
			return err;
	}
}

int krping_wlat(struct krping_endpoint *endpoint)
{
	bool is_client = krping_is_client(endpoint);
	struct krping_remote remote;
	u64 began;
	int err = 0;

	if (is_client)
		err = krping_result_record(endpoint->result, 1);
	err = err ?: krping_buffer_register(endpoint, &endpoint->source, IB_ACCESS_LOCAL_WRITE);
	err = err ?: krping_swap(endpoint, &endpoint->sink, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE, &remote);
	began = ktime_get_ns();
	err = err ?: is_client ? write_first(endpoint, &remote) : write_back(endpoint, &remote);
	endpoint->result->measured_ns = ktime_get_ns() - began;
	return err;
}

static int read_client(struct krping_endpoint *endpoint)
{
	u64 count = endpoint->command->count, begin, began, number;
	struct krping_remote remote;
	int err;

	err = krping_result_record(endpoint->result, 1);
	err = err ?: krping_swap(endpoint, &endpoint->sink, krping_buffer_sink_access(endpoint), &remote);
	begin = ktime_get_ns();
	for (number = 0; !err && (!count || number < count); number++) {
		began = ktime_get_ns();
		err = krping_read(endpoint, &endpoint->sink, &remote, false);
		if (!err)
			record(endpoint, ktime_get_ns() - began);
	}
	endpoint->result->measured_ns = ktime_get_ns() - begin;
	return err ? err : krping_send_end(endpoint);
}

/* The device answers the reads, so this side does not see them. */
static int read_server(struct krping_endpoint *endpoint)
{
	struct krping_remote remote;
	int err = krping_swap(endpoint, &endpoint->source, IB_ACCESS_REMOTE_READ, &remote);

	err = err ?: krping_await_end(endpoint);
	err = err ?: krping_await_disconnect(endpoint);
	return err;
}

int krping_rlat(struct krping_endpoint *endpoint)
{
	return krping_is_client(endpoint) ? read_client(endpoint) : read_server(endpoint);
}
