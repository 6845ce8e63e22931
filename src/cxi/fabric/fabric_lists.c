// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sends and receives lists. See fabric.h, and fi_tagged(3), fi_cq(3). Nothing here waits: what an endpoint does not
 * accept is posted again by the next poll, and data moves while completions are read.
 */
#include "config.h"

#include "cxi/fabric/fabric.h"

#include <errno.h>
#include <sched.h>

#define BATCH 64 /* completions read at once */

/* The value of a call that may not return: fabric_guard.h. */
#define GUARDED(fabric, call) (fabric_guard_enter(&(fabric)->guard), fabric_guard_leave(&(fabric)->guard, (call)))

/*
 * A tag: response or data, the size's number mod 2^8, the list's number mod 2^24, and the send's. For two messages in
 * flight at the same time, each of the first two numbers differs by at most 1.
 */
#define INDEX_BITS   14
#define LIST_BITS    24
#define RUN_BITS     8
#define RESPONSE_BIT (1ULL << (INDEX_BITS + LIST_BITS + RUN_BITS))

_Static_assert(CXI_MAX_LIST <= 1 << INDEX_BITS, "a send's number does not fit its tag");

static uint64_t tag_of(const struct fabric *fabric, uint64_t list, uint32_t index)
{
	return (fabric->runs & ((1ULL << RUN_BITS) - 1)) << (INDEX_BITS + LIST_BITS) |
	       (list & ((1ULL << LIST_BITS) - 1)) << INDEX_BITS | index;
}

static uint8_t *fabric_buffer_place(const struct fabric *fabric, const struct buffer *buffer, uint32_t index)
{
	const uint64_t slots = fabric->run.slots;

	/* A division takes longer than everything else here, and most lists have a slot for each send. */
	return buffer->addr + (index < slots ? index : index % slots) * fabric->run.granularity;
}

/* --- sends --- */

static ssize_t fabric_post_send(struct fabric *fabric, uint32_t index)
{
	struct fabric_queue *queue = &fabric->sends;
	const uint64_t tag = tag_of(fabric, queue->list, index);
	struct iovec part = {.iov_base = fabric_buffer_place(fabric, fabric->tx, index), .iov_len = fabric->run.size};
	void *desc = fabric->tx_mr ? fi_mr_desc(fabric->tx_mr) : NULL;
	const struct fi_msg_tagged message = {
		.msg_iov = &part,
		.desc = &desc,
		.iov_count = 1,
		.addr = fabric->peer,
		.tag = tag,
		.context = &queue->ops[index].context,
	};
	ssize_t ret;

	if (fabric->plan.idc && fabric->run.size <= fabric->info->tx_attr->inject_size && !fabric->tx->ops->is_far) {
		ret = fi_tinject(fabric->ep, part.iov_base, part.iov_len, fabric->peer, tag);
		queue->done += !ret;
		return ret;
	}
	/* One doorbell for the list, if the provider supports that. */
	ret = fi_tsendmsg(fabric->ep, &message, index + 1 < fabric->plan.list ? FI_MORE : 0);
	queue->ops[index].posted = !ret;
	return ret;
}

/* 0, or -EAGAIN: the queue is full; other codes of libfabric. */
static ssize_t pump_sends(struct fabric *fabric)
{
	struct fabric_queue *queue = &fabric->sends;

	while (queue->posted < fabric->plan.list) {
		const ssize_t ret = fabric_post_send(fabric, queue->posted);

		if (ret)
			return ret;
		queue->posted++;
	}
	return 0;
}

static ssize_t post_response_receive(struct fabric *fabric)
{
	const ssize_t ret = fi_trecv(fabric->ep, NULL, 0, NULL, fabric->peer,
				     tag_of(fabric, fabric->progress.responses, 0) | RESPONSE_BIT,
				     0 /* ignore no bit */, &fabric->response_in.context);

	fabric->response_in.posted = !ret;
	return ret;
}

/* --- receives --- */

static ssize_t fabric_post_receive(struct fabric *fabric, uint32_t index)
{
	struct fabric_queue *queue = &fabric->receives;
	const ssize_t ret =
		fi_trecv(fabric->ep, fabric_buffer_place(fabric, fabric->rx, index), fabric->run.size,
			 fabric->rx_mr ? fi_mr_desc(fabric->rx_mr) : NULL, fabric->peer,
			 tag_of(fabric, queue->list, index), 0 /* ignore no bit */, &queue->ops[index].context);

	queue->ops[index].posted = !ret;
	return ret;
}

static ssize_t pump_receives(struct fabric *fabric)
{
	struct fabric_queue *queue = &fabric->receives;

	while (queue->posted < fabric->plan.list && queue->posted - queue->done < queue->depth) {
		const ssize_t ret = fabric_post_receive(fabric, queue->posted);

		if (ret)
			return ret;
		queue->posted++;
	}
	return 0;
}

static ssize_t post_response(struct fabric *fabric)
{
	const ssize_t ret =
		fi_tsend(fabric->ep, NULL, 0, NULL, fabric->peer,
			 tag_of(fabric, fabric->progress.responded, 0) | RESPONSE_BIT, &fabric->response_out.context);

	fabric->response_out.posted = !ret;
	return ret;
}

/* --- completions --- */

static void fabric_op_complete(struct fabric *fabric, struct fabric_op *op)
{
	op->posted = false;
	switch (op->work) {
	case FABRIC_SEND:
		fabric->sends.done++;
		break;
	case FABRIC_RECEIVE:
		fabric->receives.done++;
		break;
	case FABRIC_RESPOND:
		fabric->progress.responded++;
		break;
	case FABRIC_RESPONSE:
		fabric->awaits_response = false;
		fabric->progress.responses++;
		break;
	}
}

/* Handles a failed operation. finish() expects -FI_ECANCELED. */
static int read_error(struct cxi_link *link)
{
	static const char *const doing[] = {
		[FABRIC_SEND] = "a send failed",
		[FABRIC_RECEIVE] = "a receive failed",
		[FABRIC_RESPOND] = "a response could not be sent",
		[FABRIC_RESPONSE] = "a response could not be received",
	};
	struct fabric *fabric = fabric_of(link);
	struct fi_cq_err_entry entry = {0};
	struct fabric_op *op;
	ssize_t ret;

	ret = fi_cq_readerr(fabric->cq, &entry, 0);
	if (ret == -FI_EAGAIN)
		return 0;
	if (ret < 0)
		return fabric_fault(link, ret, "fi_cq_readerr");
	op = entry.op_context;
	if (op)
		op->posted = false;
	if (entry.err == FI_ECANCELED)
		return 0;
	return fabric_fault(link, -entry.err, op ? doing[op->work] : "a request failed");
}

static int read_completions(struct cxi_link *link)
{
	struct fabric *fabric = fabric_of(link);
	struct fi_cq_entry entries[BATCH];
	const ssize_t count = fi_cq_read(fabric->cq, entries, BATCH);

	if (count == -FI_EAGAIN)
		return 0;
	if (count == -FI_EAVAIL)
		return read_error(link);
	if (count < 0)
		return fabric_fault(link, count, "fi_cq_read");
	for (ssize_t i = 0; i < count; i++)
		fabric_op_complete(fabric, entries[i].op_context);
	return 0;
}

/* Posts what was not accepted before. */
static int fabric_go_on(struct cxi_link *link)
{
	struct fabric *fabric = fabric_of(link);
	ssize_t ret = 0;

	if (fabric->awaits_response && !fabric->response_in.posted)
		ret = post_response_receive(fabric);
	if (!ret && fabric->plan.receives)
		ret = pump_receives(fabric);
	if (!ret && fabric->owes_response) {
		ret = post_response(fabric);
		fabric->owes_response = ret != 0;
	}
	if (!ret && fabric->awaits_response)
		ret = pump_sends(fabric);
	return ret && ret != -FI_EAGAIN ? fabric_fault(link, ret, "a request was refused") : 0;
}

/* --- the operations --- */

static int fabric_prepare(struct cxi_link *link, const struct cxi_run *run)
{
	struct fabric *fabric = fabric_of(link);

	fabric->run = *run;
	fabric->runs++;
	fabric->progress = (struct cxi_progress){0};
	fabric->sends.list = fabric->receives.list = 0;
	fabric->sends.posted = fabric->sends.done = 0;
	fabric->receives.posted = fabric->receives.done = 0;
	fabric->owes_response = fabric->awaits_response = false;
	atomic_store(&fabric->guard.limit_ms, run->standstill_ms);
	return GUARDED(fabric, fabric_go_on(link));
}

static int fabric_start(struct cxi_link *link)
{
	struct fabric *fabric = fabric_of(link);

	fabric->sends.list = fabric->progress.sent;
	fabric->sends.posted = fabric->sends.done = 0;
	fabric->awaits_response = true;
	return GUARDED(fabric, fabric_go_on(link));
}

static int fabric_poll(struct cxi_link *link, struct cxi_progress *progress)
{
	struct fabric *fabric = fabric_of(link);
	int ret;

	fabric_guard_enter(&fabric->guard);
	ret = read_completions(link);
	if (!ret)
		ret = fabric_go_on(link);
	fabric_guard_leave(&fabric->guard, ret);
	if (ret)
		return ret;
	if (fabric->sends.done == fabric->plan.list && fabric->progress.sent == fabric->sends.list)
		fabric->progress.sent++;
	if (fabric->receives.done == fabric->plan.list && fabric->progress.received == fabric->receives.list)
		fabric->progress.received++;
	/* A list has arrived at one side, and its response at the other. */
	if (fabric->has_name && (fabric->progress.responses || fabric->progress.responded))
		fabric_drop_name(link);
	*progress = fabric->progress;
	return 0;
}

static int fabric_respond(struct cxi_link *link)
{
	struct fabric *fabric = fabric_of(link);

	/* Receives for the next list are posted first, so that it never arrives unexpectedly. */
	fabric->receives.list = fabric->progress.received;
	fabric->receives.posted = fabric->receives.done = 0;
	fabric->owes_response = true;
	return GUARDED(fabric, fabric_go_on(link));
}

static int cancel_receives(struct cxi_link *link, struct deadline deadline)
{
	struct fabric *fabric = fabric_of(link);
	struct fabric_queue *queue = &fabric->receives;
	int ret = 0;

	for (uint32_t i = 0; i < queue->posted; i++)
		if (queue->ops[i].posted)
			fi_cancel(&fabric->ep->fid, &queue->ops[i].context);
	for (uint32_t i = 0; i < queue->posted && !ret; i++) {
		while (queue->ops[i].posted && !ret) {
			ret = read_completions(link);
			if (!ret && queue->ops[i].posted && deadline_passed(deadline))
				ret = cxi_fault(link, -ETIMEDOUT, "%s: a receive cannot be cancelled", link->provider);
			if (queue->ops[i].posted)
				sched_yield();
		}
	}
	return ret;
}

static int fabric_finish(struct cxi_link *link, struct deadline deadline)
{
	return GUARDED(fabric_of(link), cancel_receives(link, deadline));
}

/* --provider: libfabric as a transport. */
const struct cxi_ops cxi_fabric_ops = {
	.name = "libfabric",
	.soname = FABRIC_SONAME,
	.open = fabric_open,
	.map = fabric_map,
	.connect = fabric_connect,
	.prepare = fabric_prepare,
	.start = fabric_start,
	.poll = fabric_poll,
	.respond = fabric_respond,
	.finish = fabric_finish,
	.close = fabric_close,
};
