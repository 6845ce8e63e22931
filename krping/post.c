// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Posts requests to the device, and handles their completions. */
#include <linux/ktime.h>

#include "endpoint.h"

/*
 * Increments a counter that the thread waits for. The store is ordered after everything that the completion wrote, and
 * the reader's load before everything that it reads.
 */
static void advance(struct krping_endpoint *endpoint, u32 *counter)
{
	smp_store_release(counter, *counter + 1);
	wake_up(&endpoint->wait);
}

static bool has_failed(struct krping_endpoint *endpoint, const struct ib_wc *wc, const char *what)
{
	if (likely(wc->status == IB_WC_SUCCESS))
		return false;
	if (wc->status == IB_WC_WR_FLUSH_ERR) {
		/* the connection has ended; a refused one never existed, and its event has the reason */
		if (READ_ONCE(endpoint->may_have_traffic))
			WRITE_ONCE(endpoint->is_disconnected, true);
	} else {
		krping_result_fail(endpoint->result, -EIO, "%s failed: %s (status %d, vendor error 0x%x)", what,
				   ib_wc_status_msg(wc->status), wc->status, wc->vendor_err);
	}
	wake_up(&endpoint->wait);
	return true;
}

static bool is_protocol_broken(struct krping_endpoint *endpoint, u32 size)
{
	if (size != sizeof(struct krping_message))
		krping_result_fail(endpoint->result, -EPROTO, "the peer sent %u bytes; a message has %zu", size,
				   sizeof(struct krping_message));
	else if (endpoint->received - smp_load_acquire(&endpoint->consumed) >= KRPING_RECEIVES)
		krping_result_fail(endpoint->result, -EPROTO, "the peer sent more messages than the exchange has");
	else
		return false;
	return true;
}

static void take_message(struct krping_arrival *arrival, const struct krping_message *message, const struct ib_wc *wc)
{
	arrival->remote.address = be64_to_cpu(message->address);
	arrival->remote.rkey = be32_to_cpu(message->rkey);
	arrival->remote.size = be32_to_cpu(message->size);
	arrival->invalidated_rkey = wc->wc_flags & IB_WC_WITH_INVALIDATE ? wc->ex.invalidate_rkey : 0;
}

static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_endpoint *endpoint = container_of(wc->wr_cqe, struct krping_endpoint, recv_cqe);
	unsigned int slot = endpoint->received % KRPING_RECEIVES; /* receives complete in posting order */
	const struct krping_message *message = &endpoint->recv.message[slot];
	u64 dma = endpoint->recv.dma + slot * sizeof(*message);

	if (has_failed(endpoint, wc, "a receive"))
		return;
	krping_count(&endpoint->result->recv, wc->byte_len);
	if (is_protocol_broken(endpoint, wc->byte_len)) {
		wake_up(&endpoint->wait);
		return;
	}
	ib_dma_sync_single_for_cpu(cq->device, dma, sizeof(*message), DMA_FROM_DEVICE);
	take_message(&endpoint->arrivals[slot], message, wc);
	ib_dma_sync_single_for_device(cq->device, dma, sizeof(*message), DMA_FROM_DEVICE);
	/* before the thread can answer, so that it is posted for the peer's next message */
	krping_post_recv(endpoint, slot);
	advance(endpoint, &endpoint->received);
}

static void send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_endpoint *endpoint = container_of(wc->wr_cqe, struct krping_endpoint, send_cqe);

	if (has_failed(endpoint, wc, "a SEND"))
		return;
	krping_count(&endpoint->result->send, sizeof(struct krping_message));
	advance(endpoint, &endpoint->sends_done);
}

static void read_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_endpoint *endpoint = container_of(wc->wr_cqe, struct krping_endpoint, read_cqe);

	if (has_failed(endpoint, wc, "an RDMA READ"))
		return;
	advance(endpoint, &endpoint->reads_done);
}

static void write_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_endpoint *endpoint = container_of(wc->wr_cqe, struct krping_endpoint, write_cqe);

	if (has_failed(endpoint, wc, "an RDMA WRITE"))
		return;
	endpoint->last_write_ns = ktime_get_ns();
	krping_count(&endpoint->result->write, endpoint->write_bytes);
	smp_store_release(&endpoint->writes_done, endpoint->writes_done + 1);
	smp_mb(); /* pairs with the one between a sleeper's store of writes_wanted and its load of writes_done */
	if ((s32)(endpoint->writes_done - READ_ONCE(endpoint->writes_wanted)) >= 0)
		wake_up(&endpoint->wait);
}

static void alive_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_endpoint *endpoint = container_of(wc->wr_cqe, struct krping_endpoint, alive_cqe);

	if (!has_failed(endpoint, wc, "asking whether the peer lives"))
		advance(endpoint, &endpoint->alive_done);
}

/* Registrations are unsignaled, so this one has failed. */
static void reg_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_endpoint *endpoint = container_of(wc->wr_cqe, struct krping_endpoint, reg_cqe);

	has_failed(endpoint, wc, "a memory registration");
}

void krping_post_init(struct krping_endpoint *endpoint)
{
	endpoint->recv_cqe.done = recv_done;
	endpoint->send_cqe.done = send_done;
	endpoint->read_cqe.done = read_done;
	endpoint->write_cqe.done = write_done;
	endpoint->reg_cqe.done = reg_done;
	endpoint->alive_cqe.done = alive_done;
}

static int post(struct krping_endpoint *endpoint, const struct ib_send_wr *wr, const char *what)
{
	int err = ib_post_send(endpoint->cm_id->qp, wr, NULL);

	return err ? krping_result_fail(endpoint->result, err, "%s cannot be posted: %pe", what, ERR_PTR(err)) : 0;
}

int krping_post_recv(struct krping_endpoint *endpoint, unsigned int slot)
{
	struct ib_sge sge = {
		.addr = endpoint->recv.dma + slot * sizeof(*endpoint->recv.message),
		.length = sizeof(*endpoint->recv.message),
		.lkey = endpoint->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {.wr_cqe = &endpoint->recv_cqe, .sg_list = &sge, .num_sge = 1};
	int err = ib_post_recv(endpoint->cm_id->qp, &wr, NULL);

	return err ? krping_result_fail(endpoint->result, err, "a receive cannot be posted: %pe", ERR_PTR(err)) : 0;
}

static bool sends_are_done(const struct krping_endpoint *endpoint)
{
	return smp_load_acquire(&endpoint->sends_done) == endpoint->sends_posted;
}

int krping_finish_sends(struct krping_endpoint *endpoint)
{
	return krping_wait(endpoint, sends_are_done, "completion of a SEND");
}

int krping_post_send(struct krping_endpoint *endpoint, struct krping_remote content, u32 invalidate)
{
	struct ib_device *device = endpoint->pd->device;
	struct krping_message *message = endpoint->send.message;
	struct ib_sge sge = {
		.addr = endpoint->send.dma,
		.length = sizeof(*message),
		.lkey = endpoint->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_cqe = &endpoint->send_cqe,
		.opcode = invalidate ? IB_WR_SEND_WITH_INV : IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
		.ex.invalidate_rkey = invalidate,
	};
	int err;

	/* the last message must have left the memory that this one uses */
	err = krping_finish_sends(endpoint);
	if (err)
		return err;
	ib_dma_sync_single_for_cpu(device, endpoint->send.dma, sizeof(*message), DMA_TO_DEVICE);
	message->address = cpu_to_be64(content.address);
	message->rkey = cpu_to_be32(content.rkey);
	message->size = cpu_to_be32(content.size);
	ib_dma_sync_single_for_device(device, endpoint->send.dma, sizeof(*message), DMA_TO_DEVICE);
	err = post(endpoint, &wr, "a SEND");
	if (!err)
		endpoint->sends_posted++;
	return err;
}

static bool reads_are_done(const struct krping_endpoint *endpoint)
{
	return smp_load_acquire(&endpoint->reads_done) == endpoint->reads_posted;
}

int krping_read(struct krping_endpoint *endpoint, struct krping_buffer *buffer, const struct krping_remote *remote,
		bool invalidates)
{
	struct ib_sge sge = krping_buffer_sge(endpoint, buffer, remote->size, false);
	struct ib_rdma_wr wr = {
		.wr =
			{
				.wr_cqe = &endpoint->read_cqe,
				.opcode = invalidates ? IB_WR_RDMA_READ_WITH_INV : IB_WR_RDMA_READ,
				.send_flags = IB_SEND_SIGNALED,
				.sg_list = &sge,
				.num_sge = 1,
			},
		.remote_addr = remote->address,
		.rkey = remote->rkey,
	};
	int err;

	if (invalidates)
		wr.wr.ex.invalidate_rkey = buffer->mr->rkey;
	err = post(endpoint, &wr.wr, "an RDMA READ");
	if (err)
		return err;
	endpoint->reads_posted++;
	err = krping_wait(endpoint, reads_are_done, "completion of an RDMA READ");
	if (err)
		return err;
	krping_count(&endpoint->result->read, remote->size);
	if (invalidates)
		buffer->is_registered = false;
	return 0;
}

int krping_post_write(struct krping_endpoint *endpoint, struct krping_buffer *buffer,
		      const struct krping_remote *remote, u32 size)
{
	struct ib_sge sge = krping_buffer_sge(endpoint, buffer, size, true);
	struct ib_rdma_wr wr = {
		.wr =
			{
				.wr_cqe = &endpoint->write_cqe,
				.opcode = IB_WR_RDMA_WRITE,
				.send_flags = IB_SEND_SIGNALED,
				.sg_list = &sge,
				.num_sge = 1,
			},
		.remote_addr = remote->address,
		.rkey = remote->rkey,
	};
	int err;

	WRITE_ONCE(endpoint->write_bytes, size);
	err = post(endpoint, &wr.wr, "an RDMA WRITE");
	if (!err)
		endpoint->writes_posted++;
	return err;
}

int krping_post_registration(struct krping_endpoint *endpoint, struct ib_send_wr *first)
{
	return post(endpoint, first, "a memory registration");
}

bool krping_is_alive(const struct krping_endpoint *endpoint)
{
	return smp_load_acquire(&endpoint->alive_done) == endpoint->alive_posted;
}

/* A write of zero bytes, which the peer's device still has to acknowledge. */
int krping_post_alive(struct krping_endpoint *endpoint)
{
	struct ib_rdma_wr wr = {
		.wr =
			{
				.wr_cqe = &endpoint->alive_cqe,
				.opcode = IB_WR_RDMA_WRITE,
				.send_flags = IB_SEND_SIGNALED,
			},
	};
	int err;

	err = post(endpoint, &wr.wr, "an empty RDMA WRITE");
	if (!err)
		endpoint->alive_posted++;
	return err;
}

bool krping_message_is_there(const struct krping_endpoint *endpoint)
{
	return smp_load_acquire(&endpoint->received) != endpoint->consumed;
}

bool krping_writes_are_done(const struct krping_endpoint *endpoint)
{
	return (s32)(smp_load_acquire(&endpoint->writes_done) - endpoint->writes_wanted) >= 0;
}

int krping_finish_writes(struct krping_endpoint *endpoint)
{
	WRITE_ONCE(endpoint->writes_wanted, endpoint->writes_posted);
	return krping_wait(endpoint, krping_writes_are_done, "completion of an RDMA WRITE");
}

int krping_await_message(struct krping_endpoint *endpoint, struct krping_remote *remote, const char *what)
{
	int err = krping_wait(endpoint, krping_message_is_there, what);
	const struct krping_arrival *arrival;

	if (err)
		return err;
	arrival = &endpoint->arrivals[endpoint->consumed % KRPING_RECEIVES];
	*remote = arrival->remote;
	endpoint->invalidated_rkey = arrival->invalidated_rkey;
	smp_store_release(&endpoint->consumed, endpoint->consumed + 1);
	return 0;
}
