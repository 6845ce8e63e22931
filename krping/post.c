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

static void work_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_work *work = container_of(wc->wr_cqe, struct krping_work, cqe);

	if (has_failed(work->endpoint, wc, work->what))
		return;
	if (work->traffic)
		krping_count(work->traffic, work->bytes);
	advance(work->endpoint, &work->done);
}

static void write_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_work *work = container_of(wc->wr_cqe, struct krping_work, cqe);
	struct krping_endpoint *endpoint = work->endpoint;

	if (has_failed(endpoint, wc, work->what))
		return;
	endpoint->last_write_ns = ktime_get_ns();
	krping_count(work->traffic, work->bytes);
	smp_store_release(&work->done, work->done + 1);
	smp_mb(); /* pairs with the one between a sleeper's store of writes_wanted and its load of done */
	if ((s32)(work->done - READ_ONCE(endpoint->writes_wanted)) >= 0)
		wake_up(&endpoint->wait);
}

static void work_init(struct krping_endpoint *endpoint, struct krping_work *work, struct krping_traffic *traffic,
		      const char *what)
{
	work->cqe.done = work_done;
	work->endpoint = endpoint;
	work->traffic = traffic;
	work->what = what;
}

void krping_post_init(struct krping_endpoint *endpoint)
{
	struct krping_result *result = endpoint->result;

	endpoint->recv_cqe.done = recv_done;
	work_init(endpoint, &endpoint->sends, &result->send, "a SEND");
	work_init(endpoint, &endpoint->reads, &result->read, "an RDMA READ");
	work_init(endpoint, &endpoint->writes, &result->write, "an RDMA WRITE");
	work_init(endpoint, &endpoint->queries, NULL, "an empty RDMA WRITE");
	/* unsignaled: only one that has failed completes */
	work_init(endpoint, &endpoint->registrations, NULL, "a memory registration");
	endpoint->sends.bytes = sizeof(struct krping_message);
	endpoint->writes.cqe.done = write_done;
}

static int post(struct krping_work *work, const struct ib_send_wr *wr)
{
	int err = ib_post_send(work->endpoint->cm_id->qp, wr, NULL);

	if (err)
		return krping_result_fail(work->endpoint->result, err, "%s cannot be posted: %pe", work->what,
					  ERR_PTR(err));
	work->posted++;
	return 0;
}

/* Of the bytes of sge, none without one. invalidate: a key of this side, with an RDMA READ. */
static int post_rdma(struct krping_work *work, enum ib_wr_opcode opcode, struct ib_sge *sge,
		     const struct krping_remote *remote, u32 invalidate)
{
	struct ib_rdma_wr wr = {
		.wr =
			{
				.wr_cqe = &work->cqe,
				.opcode = opcode,
				.send_flags = IB_SEND_SIGNALED,
				.sg_list = sge,
				.num_sge = sge ? 1 : 0,
				.ex.invalidate_rkey = invalidate,
			},
		.remote_addr = remote->address,
		.rkey = remote->rkey,
	};

	WRITE_ONCE(work->bytes, sge ? sge->length : 0);
	return post(work, &wr.wr);
}

static bool all_are_done(const struct krping_work *work)
{
	return smp_load_acquire(&work->done) == work->posted;
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
	return all_are_done(&endpoint->sends);
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
		.wr_cqe = &endpoint->sends.cqe,
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
	return post(&endpoint->sends, &wr);
}

static bool reads_are_done(const struct krping_endpoint *endpoint)
{
	return all_are_done(&endpoint->reads);
}

int krping_read(struct krping_endpoint *endpoint, struct krping_buffer *buffer, const struct krping_remote *remote,
		bool invalidates)
{
	struct ib_sge sge = krping_buffer_sge(endpoint, buffer, remote->size, false);
	int err = post_rdma(&endpoint->reads, invalidates ? IB_WR_RDMA_READ_WITH_INV : IB_WR_RDMA_READ, &sge, remote,
			    invalidates ? buffer->mr->rkey : 0);

	err = err ?: krping_wait(endpoint, reads_are_done, "completion of an RDMA READ");
	if (!err && invalidates)
		buffer->is_registered = false;
	return err;
}

int krping_post_write(struct krping_endpoint *endpoint, struct krping_buffer *buffer,
		      const struct krping_remote *remote, u32 size)
{
	struct ib_sge sge = krping_buffer_sge(endpoint, buffer, size, true);

	return post_rdma(&endpoint->writes, IB_WR_RDMA_WRITE, &sge, remote, 0);
}

/* By unsignaled requests. */
int krping_buffer_register(struct krping_endpoint *endpoint, struct krping_buffer *buffer, int access)
{
	struct ib_send_wr invalidate = {
		.wr_cqe = &endpoint->registrations.cqe,
		.opcode = IB_WR_LOCAL_INV,
	};
	struct ib_reg_wr reg = {
		.wr = {.wr_cqe = &endpoint->registrations.cqe, .opcode = IB_WR_REG_MR},
		.mr = buffer->mr,
		.access = access,
	};
	struct ib_send_wr *first = &reg.wr;
	int pieces, err;

	if (endpoint->command->dma)
		return 0;
	if (buffer->is_registered) {
		invalidate.ex.invalidate_rkey = buffer->mr->rkey;
		invalidate.next = &reg.wr;
		first = &invalidate;
	}
	pieces = ib_map_mr_sg(buffer->mr, &buffer->sg, 1, NULL, PAGE_SIZE);
	if (pieces != 1)
		return krping_result_fail(endpoint->result, pieces < 0 ? pieces : -EINVAL,
					  "a buffer does not fit into its memory region");
	ib_update_fast_reg_key(buffer->mr, ++buffer->key);
	reg.key = buffer->mr->rkey;
	krping_debug(endpoint->result, "registering %zu bytes with rkey 0x%x", buffer->size, buffer->mr->rkey);
	err = post(&endpoint->registrations, first);
	if (!err)
		buffer->is_registered = true;
	return err;
}

bool krping_is_alive(const struct krping_endpoint *endpoint)
{
	return all_are_done(&endpoint->queries);
}

/* A write of zero bytes, which the peer's device still has to acknowledge. */
int krping_post_alive(struct krping_endpoint *endpoint)
{
	const struct krping_remote nowhere = {};

	return post_rdma(&endpoint->queries, IB_WR_RDMA_WRITE, NULL, &nowhere, 0);
}

bool krping_message_is_there(const struct krping_endpoint *endpoint)
{
	return smp_load_acquire(&endpoint->received) != endpoint->consumed;
}

bool krping_writes_are_done(const struct krping_endpoint *endpoint)
{
	return (s32)(smp_load_acquire(&endpoint->writes.done) - endpoint->writes_wanted) >= 0;
}

int krping_finish_writes(struct krping_endpoint *endpoint)
{
	WRITE_ONCE(endpoint->writes_wanted, endpoint->writes.posted);
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
