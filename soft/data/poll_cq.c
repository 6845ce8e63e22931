// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Polls a completion queue. Completions of the program's own sends come first: a send completes inside post_send(),
 * before the peer can have seen anything of it, let alone answered. Called by programs through context->ops.
 */
#include "data/cqe.h"
#include "data/data.h"
#include "host/peer.h"

#define IDLE_POLLS 1024 /* consecutive empty polls, about 10 us: then yields the CPU */

/* Returns the number of completions written to wc, of the program's own sends. */
static int sent_poll(struct core_cq *cq, int count, struct ibv_wc *wc)
{
	uint32_t head = cq->sent_head;
	int polled = 0;

	while (polled < count && head != cq->sent_tail) {
		const struct sent *sent = &cq->sent[head++ & cq->sent_mask];

		if (unlikely(sent->status == STATUS_VOID))
			continue;
		wc->wr_id = sent->wr_id;
		wc->status = sent->status;
		wc->opcode = sent->opcode;
		wc->vendor_err = 0;
		wc->byte_len = sent->byte_len;
		wc->qp_num = sent->qpn;
		wc->wc_flags = 0;
		if (sent->done)
			__atomic_store_n(sent->done, sent->position, __ATOMIC_RELEASE);
		wc++;
		polled++;
	}
	if (unlikely(cq->sent_times)) /* of the last one: a program that reads times polls one at a time */
		cq->soft.time = cq->sent_times[(head - 1) & cq->sent_mask];
	cq->sent_head = head;
	return polled;
}

static inline __attribute__((always_inline)) void entry_show(struct receive_queue *queue, const struct cqe *cqe,
							     struct ibv_wc *wc)
{
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = 0;
	wc->byte_len = cqe->byte_len;
	wc->imm_data = cqe->imm_data;
	wc->qp_num = cqe->qpn;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = cqe->flags;
	wc->pkey_index = 0;
	wc->slid = 0;
	wc->sl = cqe->sl;
	wc->dlid_path_bits = 0;
	if (queue->is_shared)
		__atomic_add_fetch(&queue->done, 1, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&queue->done, queue->done + 1, __ATOMIC_RELEASE);
}

static inline struct receive_queue *queue_of_row(const struct cqe *cqe)
{
	return soft_self.rqs[cqe->queue % LAYOUT_RQ_COUNT];
}

/* Not of a destroyed queue. */
static inline bool is_current(const struct receive_queue *queue, const struct cqe *cqe)
{
	return queue && __atomic_load_n(&queue->generation, __ATOMIC_ACQUIRE) == cqe->generation;
}

static int received_poll(struct core_cq *cq, int count, struct ibv_wc *wc)
{
	uint32_t head = cq->head;
	int polled = 0;

	while (polled < count) {
		const struct cqe *cqe = &cq->ring[head & cq->mask];
		struct receive_queue *queue;

		if (__atomic_load_n(&cqe->stamp, __ATOMIC_ACQUIRE) != head + 1)
			break;
		head++;
		queue = queue_of_row(cqe);
		if (likely(is_current(queue, cqe)))
			entry_show(queue, cqe, &wc[polled++]);
	}
	if (head != cq->head) {
		if (unlikely(cq->sent_times))
			cq->soft.time = cq->ring[(head - 1) & cq->mask].time;
		__atomic_store_n(&cq->head, head, __ATOMIC_RELAXED);
		__atomic_store_n(&cq->row->head, head, __ATOMIC_RELEASE);
	}
	return polled;
}

/*
 * A poll has left completions, and the program may now sleep, armed for the next one: those that are left must count as
 * next. Programs that arm, then poll a batch, then sleep (ib_send_bw -b -e) rely on completions arriving one by one;
 * ours arrive all at once.
 */
static void leftovers_notify(struct core_cq *cq)
{
	const struct cqe *next = &cq->ring[cq->head & cq->mask];

	if (cq->sent_head != cq->sent_tail || __atomic_load_n(&next->stamp, __ATOMIC_ACQUIRE) == cq->head + 1)
		soft_channel_notify(&soft_self_peer, cq->row, true /* whatever it is armed for */);
}

/*
 * Sends first, as explained above; but a full poll may have left receives, and the next one starts with them: otherwise
 * a program that keeps its send queue full and polls few at a time would never see one.
 */
static inline __attribute__((always_inline)) int queue_poll(struct core_cq *cq, int count, struct ibv_wc *wc,
							    bool has_senders)
{
	bool biased = local_lock_take(&cq->lock);
	int polled;

	if (has_senders && unlikely(cq->receives_first)) {
		polled = received_poll(cq, count, wc);
		if (polled < count)
			polled += sent_poll(cq, count - polled, wc + polled);
		cq->receives_first = false;
	} else {
		polled = sent_poll(cq, count, wc);
		if (has_senders && polled < count)
			polled += received_poll(cq, count - polled, wc + polled);
		else if (has_senders)
			cq->receives_first = true;
	}
	if (unlikely(cq->soft.base.channel) && polled == count)
		leftovers_notify(cq);
	local_lock_release(&cq->lock, biased);
	return polled;
}

/* The peer may need this CPU, and would otherwise get it only when the time slice ends. */
static __attribute__((noinline)) void idle_poll(struct core_cq *cq)
{
	uint32_t polls = __atomic_load_n(&cq->idle_polls, __ATOMIC_RELAXED) + 1;

	__atomic_store_n(&cq->idle_polls, polls, __ATOMIC_RELAXED);
	if (polls % IDLE_POLLS == 0)
		sched_yield();
}

int soft_poll_cq(struct ibv_cq *public, int count, struct ibv_wc *wc)
{
	struct core_cq *cq = core_cq_of(public);
	int polled;

	if (unlikely(__atomic_load_n(&soft_retry_queue_count, __ATOMIC_RELAXED)))
		soft_retry_queue_progress();
	polled = queue_poll(cq, count, wc, true /* has_senders */);
	if (polled)
		__atomic_store_n(&cq->idle_polls, 0, __ATOMIC_RELAXED);
	else
		idle_poll(cq);
	return polled;
}

int soft_null_poll_cq(struct ibv_cq *public, int count, struct ibv_wc *wc)
{
	return queue_poll(core_cq_of(public), count, wc, false /* has_senders: only this process completes */);
}
