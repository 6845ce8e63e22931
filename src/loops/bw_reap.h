/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Polling in a bandwidth loop: what a completion covers, what is posted in its place, and what counts. See bw_post.h.
 */
#pragma once

#include <errno.h>
#include <string.h>

#include "loops/bw_post.h"
#include "stats/clock.h"
#include "verbs/queue.h"

/* How many messages this completion covers: stride, except for the last of a queue pair. */
LOOP_INLINE uint32_t stands_for(const struct work *work, const struct tx_state *tx_state, const unsigned flags)
{
	uint32_t outstanding;

	if (flags & BW_LIST)
		return work->stride;
	if (!(flags & BW_MODERATED))
		return 1;
	outstanding = tx_state->depth - tx_state->room;
	return work->stride < outstanding ? work->stride : outstanding;
}

/* Passes on the data of the n oldest reads in flight. under_way: reads in flight, including these. */
static inline void hand_over_read(const struct run *run, const struct tx_state *tx_state, uint64_t under_way,
				  uint32_t n)
{
	const struct slot_stride *slots = &tx_state->slots;

	for (; n; n--, under_way--) {
		const uint64_t offset = (slots->offset - under_way * slots->step) & slots->mask;

		run->hooks.arrived((const void *)(uintptr_t)(slots->local_base + offset), run->plan.size);
	}
}

/* Passes on the message in the oldest receive. The length in its completion depends on the peer and is not trusted. */
static inline void hand_over_arrival(const struct run *run, const struct rx_queue *rx, const struct ibv_wc *wc)
{
	const uint32_t header = run->plan.recv_header_bytes;
	uint64_t length = wc->byte_len > header ? wc->byte_len - header : 0;

	if (length > run->plan.size)
		length = run->plan.size;
	run->hooks.arrived((const void *)(uintptr_t)(post_oldest(rx) + header), length);
}

/* A poll ends the run with an error; this many messages had completed in it, at now. */
static inline void take_last_sends(struct run *run, struct work *work, uint32_t messages, uint64_t now)
{
	run->result.completed += messages;
	if (!messages)
		return;
	work->now = now;
	work->uncounted = messages;
}

/* The same for arrivals. With -b the sends of the round are what is timed. */
static inline void take_last_arrivals(struct run *run, struct work *work, uint64_t messages, unsigned flags)
{
	run->result.received += flags & BW_LENGTHS ? 0 : messages;
	if ((flags & BW_SENDS) || !messages)
		return;
	work->now = clock_cycles();
	work->uncounted = messages;
}

LOOP_INLINE void note_found(struct run *run, int found)
{
	if (__builtin_expect(found > (int)run->result.most_found, 0))
		run->result.most_found = (uint32_t)found;
}

/*
 * Polls two completion queues as one: fewer completions than there is room for means that both are empty. They take
 * turns being first, so that neither starves.
 */
static inline int poll_ports(struct ibv_cq *first, struct ibv_cq *second, struct work *work)
{
	struct ibv_cq *const order[2] = {work->second_first ? second : first, work->second_first ? first : second};
	int found = 0;

	work->second_first = !work->second_first;
	for (unsigned i = 0; i < 2 && found < work->batch; i++) {
		const int more = cq_poll(order[i], work->batch - found, work->wc + found);

		if (more < 0)
			return more;
		found += more;
	}
	return found;
}

LOOP_INLINE int poll_queue(struct ibv_cq *cq, struct ibv_cq *second, struct work *work, const unsigned flags)
{
	if ((flags & BW_PORTS) && second)
		return poll_ports(cq, second, work);
	return cq_poll(cq, work->batch, work->wc);
}

/* The port of a queue pair, 0 or 1. */
static inline unsigned port_of(const struct run *run, uint64_t tx)
{
	return tx >= run->queues.num_tx / 2;
}

/* BW_CREDITS: is it a credit write to the peer that has completed? Their wr_ids follow those of the messages. */
static inline bool take_credit_write(const struct run *run, const struct ibv_wc *wc)
{
	const uint64_t index = wc->wr_id - run->queues.num_tx;

	if (wc->status != IBV_WC_SUCCESS || wc->wr_id < run->queues.num_tx || index >= run->queues.num_tx ||
	    !run->queues.tx[index].credit->under_way)
		return false;
	run->queues.tx[index].credit->under_way--;
	return true;
}

/* Polls the sends once. Returns the number of messages that completed, or a negative error. */
LOOP_INLINE int64_t reap_sends(struct run *run, struct work *work, const unsigned flags)
{
	const struct ibv_wc *wc = work->wc;
	uint32_t messages = 0;
	uint64_t now = 0;
	int found;

	/* Before and after the poll: what is posted in place of completed messages belongs to the next window. */
	if ((flags & BW_CLOCK) && __builtin_expect(run->result.posted >= run->result.window.end_count, 0))
		work->before = clock_cycles();
	if (flags & BW_PORTS)
		work->port_moved[0] = work->port_moved[1] = 0;
	found = poll_queue(run->queues.send_cq, run->queues.second_send_cq, work, flags);
	if (__builtin_expect(found < 0, 0))
		return found;
	note_found(run, found);
	if ((flags & BW_CLOCK) && found) {
		now = clock_cycles();
		work->found = found;
		if (flags & BW_MANY)
			work->posted_before = run->result.posted;
	}
	for (const struct ibv_wc *end = wc + found; wc < end; wc++) {
		struct tx_state *tx_state;
		uint32_t n;
		int err = 0;

		if ((flags & BW_CREDITS) && take_credit_write(run, wc))
			continue;
		if (__builtin_expect(wc->status != IBV_WC_SUCCESS ||
					     ((flags & BW_MANY) && wc->wr_id >= run->queues.num_tx),
				     0)) {
			take_last_sends(run, work, messages, now);
			return wc->status == IBV_WC_SUCCESS ? -EBADMSG
							    : post_note_failure(run, wc, end, false /* receive */);
		}
		tx_state = &work->tx_states[flags & BW_MANY ? wc->wr_id : 0];
		n = stands_for(work, tx_state, flags);
		if ((flags & BW_READS) && run->plan.opcode == IBV_WR_RDMA_READ)
			hand_over_read(run, tx_state, run->result.posted - run->result.completed - messages, n);
		messages += n;
		if (flags & BW_PORTS)
			work->port_moved[port_of(run, wc->wr_id)] += n;
		/* With one tx_state, it is filled once after the batch; with many, each at its completion. */
		if (flags & (BW_RATE | BW_MODERATED | BW_LIST | BW_CREDITS))
			tx_state->room += n;
		if ((flags & BW_MANY) && !(flags & BW_RATE))
			err = flags & (BW_MODERATED | BW_LIST | BW_CREDITS) ? tx_state_fill(run, work, tx_state, flags)
									    : post_next(run, tx_state, flags);
		if (__builtin_expect(err, 0)) {
			take_last_sends(run, work, messages, now);
			return err;
		}
	}
	if (!(flags & (BW_MANY | BW_RATE | BW_MODERATED | BW_LIST)))
		work->tx_states[0].room += messages;
	/* Not the time of credit writes, which may complete long after the last message. */
	if ((flags & BW_CLOCK) && messages)
		work->now = now;
	run->result.completed += messages;
	return messages;
}

/* Without an exchange of options the two sides may have different sizes; a longer message is an error anyway. */
static bool has_wrong_length(struct run *run, const struct ibv_wc *wc)
{
	if (!run->plan.arrival_bytes || wc->status != IBV_WC_SUCCESS || wc->byte_len == run->plan.arrival_bytes)
		return false;
	run->result.first_arrival_bytes = wc->byte_len;
	return true;
}

/* BW_SLOTS: are all receives of this round posted? Then all credits have to be granted, or the peer waits forever. */
static inline bool posts_no_more(const struct run *run, unsigned index)
{
	return run->plan.slots && !run->queues.rx[index].left;
}

/* BW_CREDITS: a message has arrived and its receive was dealt with. */
static inline void note_credit(const struct run *run, struct work *work, unsigned index)
{
	struct credit *credit = run->queues.tx[index].credit;

	credit->arrived++;
	work->owes_credit |=
		credit_is_due(credit, run->queues.rx[index].posted, work->window, posts_no_more(run, index));
}

/* Polls the receives once, and posts new ones. Returns the number of arrivals, or a negative error. */
LOOP_INLINE int64_t reap_receives(struct run *run, struct work *work, const unsigned flags)
{
	const struct ibv_wc *wc = work->wc;
	int found = poll_queue(run->queues.recv_cq, run->queues.second_recv_cq, work, flags);

	if ((flags & BW_PORTS) && !(flags & BW_SENDS))
		work->port_moved[0] = work->port_moved[1] = 0;
	if (__builtin_expect(found < 0, 0))
		return found;
	note_found(run, found);
	if (__builtin_expect(!run->result.received && found, 0) && has_wrong_length(run, wc))
		return -EMSGSIZE;
	for (const struct ibv_wc *end = wc + found; wc < end; wc++) {
		struct rx_queue *rx;
		int err;

		/* On soft0 the number is in memory that the peer can write. */
		if (__builtin_expect(wc->status != IBV_WC_SUCCESS || ((flags & BW_MANY) && !(flags & BW_SHARED) &&
								      wc->wr_id >= run->queues.num_rx),
				     0)) {
			take_last_arrivals(run, work, (uint64_t)(wc - work->wc), flags);
			return wc->status == IBV_WC_SUCCESS ? -EBADMSG
							    : post_note_failure(run, wc, end, true /* receive */);
		}
		if ((flags & BW_PORTS) && !(flags & BW_SENDS))
			work->port_moved[port_of(run, queue_set_arrival(&run->queues, wc))]++;
		rx = &run->queues.rx[(flags & BW_MANY) && !(flags & BW_SHARED) ? wc->wr_id : 0];
		if (flags & BW_READS)
			hand_over_arrival(run, rx, wc);
		if (flags & BW_SLOTS)
			post_note_arrival(run, wc);
		err = post_replace(rx, work->repost_at, run->plan.recv_post_list, flags & BW_SLOTS, flags & BW_SHARED);
		if (__builtin_expect(err, 0)) {
			take_last_arrivals(run, work, (uint64_t)(wc - work->wc) + 1, flags);
			return post_refusal(err);
		}
		if (flags & BW_CREDITS)
			note_credit(run, work, (unsigned)wc->wr_id);
	}
	/* count_lengths() counts what is of the run. */
	run->result.received += flags & BW_LENGTHS ? 0 : (uint64_t)found;
	return found;
}

/* BW_CREDITS without BW_SENDS: nothing else is posted to send. 0 or -errno. */
static inline int reap_credit_writes(struct run *run)
{
	struct ibv_wc wc[CREDIT_WRITES];
	int found = cq_poll(run->queues.send_cq, CREDIT_WRITES, wc);

	for (int i = 0; i < found; i++)
		if (!take_credit_write(run, &wc[i]))
			return wc[i].status == IBV_WC_SUCCESS
				       ? -EBADMSG
				       : post_note_failure(run, &wc[i], wc + found, false /* receive */);
	return found < 0 ? found : 0;
}

/* BW_CREDITS: grants the peer of each queue pair credits for newly posted receives. 0 or -errno. */
static inline int send_credits(struct run *run, struct work *work, unsigned flags)
{
	int err = flags & BW_SENDS ? 0 : reap_credit_writes(run);
	const bool begins = work->begins_credit;

	work->owes_credit = work->begins_credit = false;
	for (unsigned i = 0; !err && i < run->queues.num_rx; i++) {
		const uint32_t waiting = run->queues.rx[i].posted;
		struct tx_queue *tx = &run->queues.tx[i];
		struct credit *credit = tx->credit;
		struct ibv_send_wr *bad;

		if (!credit_is_due(credit, waiting, work->window, begins || posts_no_more(run, i)))
			continue;
		if (credit->under_way == CREDIT_WRITES) {
			work->owes_credit = true;
			work->begins_credit = begins;
			continue;
		}
		*credit->replaced = credit_replaced(credit, waiting, work->window);
		credit->wr.wr_id = run->queues.num_tx + i;
		err = post_refusal(ibv_post_send(tx->qp, &credit->wr, &bad));
		credit->under_way++;
	}
	return err;
}

/* --- counting: what is in the sample window, in the margins, of each port and of each queue --- */

static void update_sampled(struct run *run, unsigned flags)
{
	if (!(flags & BW_CLOCK))
		run->result.sampled = flags & BW_SENDS ? run->result.completed : run->result.received;
}

/* Messages outside the sample window. */
static void count_margin(struct run *run, struct work *work, uint64_t moved, unsigned flags)
{
	const bool both = (flags & BW_SENDS) && (flags & BW_RECEIVES);

	if (both && work->now < run->plan.begin_sample_cycles)
		work->early_arrivals = run->result.received;
	if (work->now <= run->plan.over_cycles)
		run->result.margins += moved;
}

/* BW_PORTS: the same per port. */
static void count_ports(struct run *run, const struct work *work)
{
	const bool is_sampled = work->now >= run->plan.begin_sample_cycles && work->now <= run->plan.end_sample_cycles;

	for (unsigned i = 0; i < 2; i++) {
		run->result.port_moved[i] += work->port_moved[i];
		run->result.port_sampled[i] += is_sampled ? work->port_moved[i] : 0;
	}
}

/* BW_QUEUES: counts what the last poll found, or the messages before the one that ended the run with an error. */
static void count_queues(struct run *run, const struct work *work, uint64_t messages, unsigned flags)
{
	const struct queue_counts *counts = &run->plan.by_queue;
	const bool is_sampled = (flags & BW_CLOCK) && work->now >= run->plan.begin_sample_cycles &&
				work->now <= run->plan.end_sample_cycles;

	for (uint64_t i = 0; i < messages; i++) {
		counts->received[work->wc[i].wr_id]++;
		counts->sampled[work->wc[i].wr_id] += is_sampled;
	}
}

/* BW_QUEUES: if everything that arrived is measured. */
static void sample_queues(struct run *run)
{
	memcpy(run->plan.by_queue.sampled, run->plan.by_queue.received,
	       run->queues.num_rx * sizeof(*run->plan.by_queue.sampled));
}

/*
 * BW_LENGTHS: as count_queues(). The clock of a length starts as that of the run: see begin_receiver(). The run is over
 * with the last frame of the last length, whatever was lost before.
 */
static void count_lengths(struct run *run, struct work *work, int64_t messages)
{
	struct length_count *last = NULL;

	for (int64_t i = 0; i < messages; i++) {
		struct length_count *count = post_note_length(run, &work->wc[i], work->now);

		last = count ? count : last;
	}
	if (last && last->frames >= last->begin_after)
		last->begun |=
			messages < work->batch || last->frames >= (uint64_t)run->plan.rx_depth * run->queues.num_rx;
	if (!run->plan.lengths[run->plan.num_lengths - 1].left)
		work->receive_target = 0;
}

/* BW_CLOCK: messages that moved at work->now; with -b those that completed. */
LOOP_INLINE void count_sampled(struct run *run, struct work *work, uint64_t moved, const unsigned flags)
{
	const bool both = (flags & BW_SENDS) && (flags & BW_RECEIVES);

	if (flags & BW_PORTS)
		count_ports(run, work);
	if (work->now >= run->plan.begin_sample_cycles && work->now <= run->plan.end_sample_cycles) {
		run->result.sampled += moved;
		if (both)
			run->result.sampled_arrivals = run->result.received - work->early_arrivals;
	} else {
		count_margin(run, work, moved, flags);
	}
}
