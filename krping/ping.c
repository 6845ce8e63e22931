// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The same exchange as rping: the client advertises its source, the server reads it and sends a go-ahead; the client
 * advertises its sink, the server writes back what it read and sends a go-ahead.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "endpoint.h"

#define SHOWN 64 /* bytes, printed by verbose; the line mentions the limit */

/* Text, with a NUL only at its end: rping writes back only a string. */
static void fill(char *data, size_t size, u64 iteration)
{
	size_t at = min_t(size_t, scnprintf(data, size, "rdma-ping-%llu: ", iteration), size - 1);
	char letter = 'A' + (u32)(iteration % ('z' - 'A' + 1));

	for (; at < size - 1; at++) {
		data[at] = letter;
		letter = letter == 'z' ? 'A' : letter + 1;
	}
	data[size - 1] = '\0';
}

/* The offset of the first byte that differs from `wanted`, or size. */
static size_t first_difference(const char *data, const char *wanted, size_t size)
{
	size_t at;

	if (!memcmp(data, wanted, size))
		return size;
	for (at = 0; at < size; at++) {
		if (data[at] != wanted[at])
			break;
	}
	return at;
}

static int compare(struct krping_endpoint *endpoint, const char *data, const char *wanted, size_t size, u64 iteration)
{
	size_t at = first_difference(data, wanted, size);

	if (at == size)
		return 0;
	return krping_result_fail(endpoint->result, -EBADMSG,
				  "iteration %llu: byte %zu of %zu is 0x%02x, and should be 0x%02x", iteration, at,
				  size, (u8)data[at], (u8)wanted[at]);
}

static void show(const struct krping_endpoint *endpoint, const char *data, size_t size)
{
	char text[4 * SHOWN + 1];

	pr_info("%llu: %sping data (64B max): |%s|\n", endpoint->result->id,
		krping_is_client(endpoint) ? "" : "server ",
		krping_show(text, sizeof(text), data, min_t(size_t, size, SHOWN)));
}

static void record(struct krping_endpoint *endpoint, u64 began, u64 middle, u64 ended)
{
	struct krping_figures *figures = endpoint->result->figures;

	krping_histogram_record(&figures[KRPING_ITERATION].histogram, ended - began);
	krping_histogram_record(&figures[KRPING_READ_HALF].histogram, middle - began);
	krping_histogram_record(&figures[KRPING_WRITE_HALF].histogram, ended - middle);
	WRITE_ONCE(endpoint->result->iterations, endpoint->result->iterations + 1);
}

/* Advertises a buffer, and returns when the server has done its part with it. */
static int offer(struct krping_endpoint *endpoint, struct krping_buffer *buffer, int access, const char *what)
{
	struct krping_remote go_ahead;
	int err;

	err = krping_buffer_register(endpoint, buffer, access);
	err = err ?: krping_post_send(endpoint, krping_buffer_advert(endpoint, buffer), 0);
	err = err ?: krping_await_message(endpoint, &go_ahead, what);
	if (!err)
		krping_buffer_note_invalidation(endpoint, buffer);
	return err;
}

static int client_iteration(struct krping_endpoint *endpoint, u64 iteration)
{
	struct krping_buffer *source = &endpoint->source, *sink = &endpoint->sink;
	bool validates = krping_has(endpoint->command, KRPING_VALIDATE);
	u64 began, middle, ended;
	int err;

	krping_buffer_to_cpu(endpoint, source);
	fill(source->data, source->size, iteration);
	krping_buffer_to_device(endpoint, source);
	if (validates) { /* old content must not be mistaken for the expected data */
		krping_buffer_to_cpu(endpoint, sink);
		memset(sink->data, 0xff, sink->size);
		krping_buffer_to_device(endpoint, sink);
	}
	began = ktime_get_ns();
	err = offer(endpoint, source, IB_ACCESS_REMOTE_READ, "server's go-ahead after its RDMA READ");
	if (err)
		return err;
	middle = ktime_get_ns();
	err = offer(endpoint, sink, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
		    "server's go-ahead after its RDMA WRITE");
	if (err)
		return err;
	ended = ktime_get_ns();
	krping_buffer_to_cpu(endpoint, sink);
	if (validates)
		err = compare(endpoint, sink->data, source->data, sink->size, iteration);
	if (krping_has(endpoint->command, KRPING_VERBOSE))
		show(endpoint, sink->data, sink->size);
	krping_buffer_to_device(endpoint, sink);
	if (!err)
		record(endpoint, began, middle, ended);
	return err;
}

int krping_ping_client(struct krping_endpoint *endpoint)
{
	u64 count = endpoint->command->count, began, iteration;
	int err = krping_result_record(endpoint->result, KRPING_LATENCIES);

	began = ktime_get_ns();
	for (iteration = 0; !err && (!count || iteration < count); iteration++)
		err = client_iteration(endpoint, iteration);
	endpoint->result->measured_ns = ktime_get_ns() - began;
	return err;
}

static int check_advert(struct krping_endpoint *endpoint, const struct krping_remote *remote)
{
	krping_debug(endpoint->result, "advertised: address 0x%llx, rkey 0x%x, %u bytes", remote->address, remote->rkey,
		     remote->size);
	if (remote->size >= 1 && remote->size <= endpoint->sink.size)
		return 0;
	return krping_result_fail(endpoint->result, -EMSGSIZE,
				  "the client advertises %u bytes; the server has size=%zu", remote->size,
				  endpoint->sink.size);
}

static int go_ahead(struct krping_endpoint *endpoint, const struct krping_remote *remote)
{
	struct krping_remote nothing = {};

	return krping_post_send(endpoint, nothing, krping_has(endpoint->command, KRPING_SERVER_INV) ? remote->rkey : 0);
}

/* Compares what it read with what a client of this exchange sends, for which it uses the free source buffer. */
static int inspect(struct krping_endpoint *endpoint, u32 size, u64 iteration)
{
	struct krping_buffer *sink = &endpoint->sink;
	int err = 0;

	krping_buffer_to_cpu(endpoint, sink);
	if (krping_has(endpoint->command, KRPING_VALIDATE)) {
		fill(endpoint->source.data, size, iteration);
		err = compare(endpoint, sink->data, endpoint->source.data, size, iteration);
	}
	if (krping_has(endpoint->command, KRPING_VERBOSE))
		show(endpoint, sink->data, size);
	krping_buffer_to_device(endpoint, sink);
	return err;
}

static int serve_read(struct krping_endpoint *endpoint, struct krping_remote *remote, u64 iteration)
{
	int err = check_advert(endpoint, remote);

	err = err ?: krping_buffer_register(endpoint, &endpoint->sink, krping_buffer_sink_access(endpoint));
	err = err ?: krping_read(endpoint, &endpoint->sink, remote, krping_has(endpoint->command, KRPING_READ_INV));
	err = err ?: inspect(endpoint, remote->size, iteration);
	err = err ?: go_ahead(endpoint, remote);
	return err;
}

static int serve_write(struct krping_endpoint *endpoint)
{
	struct krping_remote remote;
	int err = krping_await_message(endpoint, &remote, "client's second advertisement");

	err = err ?: check_advert(endpoint, &remote);
	if (!err && !krping_has(endpoint->command, KRPING_LOCAL_DMA_LKEY))
		err = krping_buffer_register(endpoint, &endpoint->sink, IB_ACCESS_LOCAL_WRITE);
	err = err ?: krping_post_write(endpoint, &endpoint->sink, &remote, remote.size);
	err = err ?: krping_finish_writes(endpoint);
	err = err ?: go_ahead(endpoint, &remote);
	return err;
}

static int serve(struct krping_endpoint *endpoint)
{
	struct krping_remote remote;
	u64 iteration, began, middle;
	int err;

	for (iteration = 0;; iteration++) {
		err = krping_await_message(endpoint, &remote, "client's advertisement");
		began = ktime_get_ns();
		err = err ?: serve_read(endpoint, &remote, iteration);
		middle = ktime_get_ns();
		err = err ?: serve_write(endpoint);
		if (err)
			return err;
		record(endpoint, began, middle, ktime_get_ns());
	}
}

int krping_ping_server(struct krping_endpoint *endpoint)
{
	int err = krping_result_record(endpoint->result, KRPING_LATENCIES);
	u64 began = ktime_get_ns();

	err = err ?: serve(endpoint);
	endpoint->result->measured_ns = ktime_get_ns() - began;
	return err;
}
