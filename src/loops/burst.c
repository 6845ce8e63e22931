// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The latency of a message among others in a burst. The asking side posts a burst of messages as fast as it can, waits
 * for the answers, and starts the next burst. The other side answers every reply_every-th message. Each message carries
 * its number (frames/frame.h) and each answer that of its message, so that neither loss nor other traffic can assign a
 * sample to the wrong message.
 *
 * A sample begins with the clock reading just before the post (-l: of the list) and ends with the first one after the
 * poll that found the answer.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "frames/frame.h"
#include "loops/poll_monitor.h"
#include "loops/post.h"
#include "stats/clock.h"
#include "stats/latency.h"
#include "util/stop.h"
#include "verbs/queue.h"

#define LOOK_PERIOD 64
#define SLEEP_NS    1000000

/* A tick waits for the end of its burst, unless it is later than this. */
#define TICK_GRACE_NS 100e6

/* Some answers of a burst arrived, and then none for this long: the others are lost. */
#define LOST_NS 500e6

#define LONGEST_BURST 0x1p62 /* cycles: centuries, so that a stamp can be added */

/* Both sides: the messages to post and the completions to poll. */
struct sender {
	struct run *run;
	struct tx_queue *tx;
	struct rx_queue *rx;
	uint32_t slot;	    /* offset of the next message */
	uint32_t in_chain;  /* messages in the chain, not yet posted */
	uint32_t to_signal; /* messages up to and including the next signalled one */
	uint64_t completed; /* messages */
	uint32_t repost_at;
	int batch;
	struct poll_monitor monitor;
	struct cq_wait cq_wait;
};

static void sender_open(struct sender *sender, struct run *run)
{
	const uint32_t batch = run->plan.cqe_poll ? run->plan.cqe_poll : 1;

	*sender = (struct sender){
		.run = run,
		.tx = &run->queues.tx[0],
		.rx = &run->queues.rx[0],
		.to_signal = run->plan.cq_mod,
		.repost_at = post_repost_at(run),
		.batch = batch < BURST_BATCH ? (int)batch : BURST_BATCH,
	};
	poll_monitor_open(&sender->monitor, LOOK_PERIOD, clock_cycles());
	sender->monitor.tick_grace_cycles = clock_ns_to_cycles(TICK_GRACE_NS);
	cq_wait_add(&sender->cq_wait, run->queues.recv_channel, run->queues.recv_cq);
	cq_wait_add(&sender->cq_wait, run->queues.send_channel, run->queues.send_cq);
}

static uint32_t sender_room(const struct sender *sender)
{
	const struct run *run = sender->run;

	return run->plan.tx_depth - (uint32_t)(run->result.posted + sender->in_chain - sender->completed);
}

/* Appends a message with this mark to the chain, which must have room for it. */
static void sender_add(struct sender *sender, struct mark mark)
{
	struct tx_queue *tx = sender->tx;
	struct ibv_send_wr *wr = &tx->wr[sender->in_chain++];

	wr->sg_list->addr = tx->local_base + sender->slot;
	mark_write((uint8_t *)(uintptr_t)wr->sg_list->addr + sender->run->plan.burst->mark_offset, mark);
	sender->slot = (sender->slot + tx->step) & (tx->span - 1);
	/* Messages complete up to this one. */
	wr->wr_id = sender->run->result.posted + sender->in_chain;
	wr->send_flags = sender->run->plan.inline_data ? IBV_SEND_INLINE : 0;
	if (--sender->to_signal)
		return;
	wr->send_flags |= IBV_SEND_SIGNALED;
	sender->to_signal = sender->run->plan.cq_mod;
}

/* Posts the chain. last: no message follows for a while, so its end must be signalled. 0 or -errno. */
static int sender_post(struct sender *sender, bool last)
{
	struct ibv_send_wr *bad, *end;
	struct ibv_send_wr *next;
	int err;

	if (!sender->in_chain)
		return 0;
	end = &sender->tx->wr[sender->in_chain - 1];
	if (last) {
		end->send_flags |= IBV_SEND_SIGNALED;
		sender->to_signal = sender->run->plan.cq_mod;
	}
	next = end->next;
	end->next = NULL;
	err = ibv_post_send(sender->tx->qp, sender->tx->wr, &bad);
	end->next = next;
	if (__builtin_expect(err, 0))
		return post_refusal(err);
	sender->run->result.posted += sender->in_chain;
	sender->in_chain = 0;
	return 0;
}

/* Messages that completed, or -errno. */
static int64_t sender_reap(struct sender *sender)
{
	struct run *run = sender->run;
	const uint64_t before = sender->completed;
	struct ibv_wc wc[BURST_BATCH];
	int found;

	if (before == run->result.posted)
		return 0;
	found = cq_poll(run->queues.send_cq, sender->batch, wc);
	if (__builtin_expect(found < 0, 0))
		return found;
	for (int i = 0; i < found; i++) {
		if (__builtin_expect(wc[i].status != IBV_WC_SUCCESS, 0))
			return post_note_failure(run, &wc[i], wc + found, false /* receive */);
		if (wc[i].wr_id <= sender->completed || wc[i].wr_id > run->result.posted)
			return -EBADMSG;
		sender->completed = wc[i].wr_id;
	}
	run->result.completed = sender->completed;
	return (int64_t)(sender->completed - before);
}

/* The mark of the message in the oldest receive; false: it has none. */
static bool arrival_mark(const struct run *run, const struct rx_queue *rx, const struct ibv_wc *wc, struct mark *mark)
{
	const uint32_t at = run->plan.burst->mark_offset;

	return wc->byte_len >= at + MARK_BYTES && mark_read((const uint8_t *)(uintptr_t)(post_oldest(rx) + at), mark);
}

/*
 * Polls the receives once: returns the number found, up to most, with their marks in marks, or -errno. A message
 * without a mark of this kind, such as other traffic to this address, gets a mark without a number.
 */
#define NO_NUMBER UINT64_MAX

static int sender_receive(struct sender *sender, int most, bool answers, struct mark marks[BURST_BATCH])
{
	struct run *run = sender->run;
	struct ibv_wc wc[BURST_BATCH];
	int found = cq_poll(run->queues.recv_cq, most, wc);
	int err;

	if (__builtin_expect(found < 0, 0))
		return found;
	for (int i = 0; i < found; i++) {
		if (__builtin_expect(wc[i].status != IBV_WC_SUCCESS, 0))
			return post_note_failure(run, &wc[i], wc + found, true /* receive */);
		if (!arrival_mark(run, sender->rx, &wc[i], &marks[i]) || marks[i].answers != answers)
			marks[i].number = NO_NUMBER;
		err = post_replace(sender->rx, sender->repost_at, run->plan.recv_post_list, false /* has slots */,
				   false /* shared */);
		if (__builtin_expect(err, 0))
			return post_refusal(err);
	}
	return found;
}

/* After each round, in which this many messages moved. 0: continue; 1: the run ends; or -errno. */
static int sender_look(struct sender *sender, int64_t moved, bool may_sleep)
{
	struct run *run = sender->run;
	int ret = 0;

	if (!moved && may_sleep && sender->cq_wait.count)
		ret = cq_wait_rest(&sender->cq_wait, &sender->monitor, SLEEP_NS);
	if (ret || !poll_monitor_due(&sender->monitor, moved))
		return ret;
	return poll_monitor_ends(&sender->monitor, run, run->result.posted + run->result.received, clock_cycles());
}

static int sender_close(struct sender *sender, int ret)
{
	struct run *run = sender->run;

	run->result.sent_all = sender->completed == run->result.posted;
	cq_wait_close(&sender->cq_wait);
	return poll_monitor_result(run, ret);
}

/* --- the asking side --- */

struct asker {
	struct sender sender;
	uint64_t burst_begin, burst_end; /* numbers of the burst's messages */
	uint64_t next;			 /* number of the next message */
	uint64_t due;			 /* answers expected for this burst */
	uint64_t answered;
	uint64_t asked;	      /* messages of this burst to be answered that are posted or in the chain */
	uint64_t stamped;     /* of these, those posted */
	uint32_t until_asked; /* messages up to and including the next one to be answered */
	/* The next answer, if none is lost: its message, and the index of its stamp. */
	uint64_t next_answer, next_place;
	uint64_t lost_cycles;  /* LOST_NS */
	uint64_t moved_cycles; /* last progress of this burst */
	uint64_t burst_at;     /* with a rate limit: when the next burst is due */
	uint64_t burst_cycles; /* ... the time between two bursts; 0: no limit */
};

static void asker_open_burst(struct run *run, struct asker *asker)
{
	const uint64_t every = run->plan.burst->reply_every, left = run->plan.iters - asker->next;

	asker->burst_begin = asker->next;
	asker->burst_end = asker->next + (left < run->plan.burst_size ? left : run->plan.burst_size);
	asker->due = asker->burst_end / every - asker->burst_begin / every;
	asker->next_answer = (asker->burst_begin / every + 1) * every - 1;
	asker->next_place = 0;
	asker->answered = asker->asked = asker->stamped = 0;
}

/* A burst's time passes before it, so that no average exceeds the limit. A late burst does not hasten the next one. */
static bool burst_is_due(struct asker *asker, uint64_t now)
{
	if (now < asker->burst_at)
		return false;
	if (now - asker->burst_at > asker->burst_cycles)
		asker->burst_at = now;
	asker->burst_at += asker->burst_cycles;
	return true;
}

static int asker_post_chain(struct run *run, struct asker *asker)
{
	const uint64_t now = clock_cycles();

	if (!run->result.posted)
		run->result.begin_cycles = run->result.finish_cycles = now;
	/* Before the post: the answer may have arrived when it returns. */
	while (asker->stamped < asker->asked)
		run->plan.burst->stamps[asker->stamped++] = now;
	asker->moved_cycles = now;
	return sender_post(&asker->sender, asker->next == asker->burst_end);
}

/* Posts as many as there is room for. Messages, or -errno. */
static int64_t asker_post(struct run *run, struct asker *asker)
{
	const uint64_t before = asker->next;
	uint32_t room = sender_room(&asker->sender);
	int err;

	while (room && asker->next < asker->burst_end) {
		sender_add(&asker->sender, (struct mark){.every = run->plan.burst->reply_every,
							 .number = run->plan.burst->first + asker->next++});
		room--;
		if (!--asker->until_asked) {
			asker->until_asked = run->plan.burst->reply_every;
			asker->asked++;
		}
		if (asker->sender.in_chain < run->plan.post_list && room && asker->next < asker->burst_end)
			continue;
		err = asker_post_chain(run, asker);
		if (__builtin_expect(err, 0))
			return err;
	}
	return (int64_t)(asker->next - before);
}

/*
 * The index of the stamp of a message of this burst; false: there is none, for example for an answer that arrives after
 * it was given up, or twice.
 */
static bool find_stamp(const struct run *run, struct asker *asker, uint64_t number, uint64_t *place)
{
	const uint64_t every = run->plan.burst->reply_every;

	if (__builtin_expect(number == asker->next_answer, 1))
		*place = asker->next_place;
	else if (number < asker->burst_begin || number >= asker->burst_end || (number + 1) % every)
		return false;
	else
		*place = (number + 1) / every - 1 - asker->burst_begin / every;
	if (*place >= asker->stamped || !run->plan.burst->stamps[*place])
		return false;
	if (*place >= asker->next_place) {
		asker->next_answer = number + every;
		asker->next_place = *place + 1;
	}
	return true;
}

/* Answers, or -errno. */
static int64_t asker_take_answers(struct run *run, struct asker *asker)
{
	struct mark marks[BURST_BATCH];
	const int found = sender_receive(&asker->sender, asker->sender.batch, true /* answers */, marks);
	const uint64_t now = found > 0 ? clock_cycles() : 0;
	uint64_t place;

	for (int i = 0; i < found; i++) {
		if (marks[i].number == NO_NUMBER ||
		    !find_stamp(run, asker, marks[i].number - run->plan.burst->first, &place))
			continue;
		latency_record_between(run->plan.latency, run->plan.burst->stamps[place], now);
		run->plan.burst->stamps[place] = 0;
		asker->answered++;
		run->result.received++;
		run->result.sampled++;
		run->result.finish_cycles = asker->moved_cycles = now;
	}
	return found;
}

/* All answers arrived, or the others are lost. Before its first answer a burst is not given up. */
static bool burst_is_over(struct run *run, struct asker *asker)
{
	if (asker->next < asker->burst_end || asker->sender.completed < run->result.posted)
		return false;
	if (asker->answered == asker->due)
		return true;
	/* Answers arrive in order: none follows the last one. */
	if (asker->next_place < asker->due &&
	    (!asker->answered || clock_cycles() < asker->moved_cycles + asker->lost_cycles))
		return false;
	run->result.lost += asker->due - asker->answered;
	return true;
}

/* Between two bursts. 0: continue; 1: the run ends; or -errno. */
static int asker_next_burst(struct run *run, struct asker *asker)
{
	uint64_t now = clock_cycles();

	if (asker->next == run->plan.iters)
		return 1;
	if (__builtin_expect(now >= run->hooks.next_tick_cycles, 0)) {
		if (poll_monitor_tick(run, now))
			return 1;
		now = clock_cycles();
	}
	if (__builtin_expect(stop_requested(), 0)) {
		run->result.stopped = true;
		return 1;
	}
	if (asker->burst_cycles && !burst_is_due(asker, now))
		return sender_look(&asker->sender, 0 /* moved */, false /* sleep */);
	asker_open_burst(run, asker);
	return 0;
}

int loop_burst_ask(struct run *run)
{
	struct asker asker = {
		.until_asked = run->plan.burst->reply_every,
		.lost_cycles = clock_ns_to_cycles(LOST_NS),
		.burst_cycles = (uint64_t)fmin(run->plan.burst_size * run->plan.message_cycles, LONGEST_BURST),
	};
	int64_t posted, completed, found;
	int ret = 0;

	sender_open(&asker.sender, run);
	asker.burst_at = clock_cycles() + asker.burst_cycles;
	while (!ret) {
		if (burst_is_over(run, &asker)) {
			ret = asker_next_burst(run, &asker);
			continue;
		}
		posted = asker_post(run, &asker);
		completed = posted < 0 ? posted : sender_reap(&asker.sender);
		found = completed < 0 ? completed : asker_take_answers(run, &asker);
		ret = found < 0 ? (int)found : sender_look(&asker.sender, posted + completed + found, true /* sleep */);
	}
	return sender_close(&asker.sender, ret);
}

/* --- the answering side --- */

/* A message with this mark arrived; missing ones before it are lost. 0 or -errno. */
static int answer_one(struct run *run, struct sender *sender, const struct mark *mark, uint64_t *expected)
{
	const struct burst_plan *burst = run->plan.burst;
	const uint64_t number = mark->number - burst->first;
	int err = 0;

	/* Not of this run, or a duplicate, such as a sniffer receives. */
	if (number >= run->plan.iters || number < *expected)
		return 0;
	if (!mark->every || (burst->reply_every && mark->every != burst->reply_every)) {
		run->result.peer_every = mark->every;
		return -EPROTO;
	}
	run->result.received++;
	run->result.lost += number - *expected;
	*expected = number + 1;
	if (*expected % mark->every)
		return 0;
	/* A full chain is posted only when another message follows: the last one of a round must be signalled. */
	if (sender->in_chain == run->plan.post_list)
		err = sender_post(sender, false /* last */);
	if (!err)
		sender_add(sender, (struct mark){.answers = true, .every = mark->every, .number = mark->number});
	return err;
}

/* The asking side has gone on to another size, and no longer waits for an answer of this one. */
static bool begins_later_run(const struct run *run, const struct mark *mark)
{
	const struct burst_plan *burst = run->plan.burst;

	return mark->number >= burst->first + run->plan.iters && mark->number < burst->end;
}

/* Messages with these marks arrived. 0 or -errno. */
static int answer_some(struct run *run, struct sender *sender, const struct mark *marks, int count, uint64_t *expected)
{
	struct burst_early *early = run->plan.burst->early;
	int err = 0;

	for (int i = 0; i < count && !err; i++) {
		if (begins_later_run(run, &marks[i])) {
			early->count = count - i;
			memcpy(early->marks, &marks[i], (size_t)early->count * sizeof(*marks));
			*expected = run->plan.iters;
			break;
		}
		err = answer_one(run, sender, &marks[i], expected);
	}
	return err ? err : sender_post(sender, true /* last */);
}

int loop_burst_answer(struct run *run)
{
	struct burst_early *early = run->plan.burst->early;
	const struct burst_early first = *early;
	struct mark marks[BURST_BATCH];
	struct sender sender;
	uint64_t expected = 0;
	int64_t completed;
	int found, ret;

	sender_open(&sender, run);
	early->count = 0;
	ret = answer_some(run, &sender, first.marks, first.count, &expected);
	while (!ret && (expected < run->plan.iters || sender.completed < run->result.posted)) {
		const uint32_t room = sender_room(&sender);

		found = expected == run->plan.iters
				? 0 /* what arrives now is of the next size */
				: sender_receive(&sender, room < (uint32_t)sender.batch ? (int)room : sender.batch,
						 false /* answers */, marks);
		ret = found < 0 ? found : answer_some(run, &sender, marks, found, &expected);
		completed = ret ? 0 : sender_reap(&sender);
		if (completed < 0)
			ret = (int)completed;
		else if (!ret)
			ret = sender_look(&sender, found + completed, true /* sleep */);
	}
	/* A silence that ended the run, or the next size. */
	if (sender.monitor.drained || early->count)
		run->result.lost = run->plan.iters - run->result.received;
	return sender_close(&sender, ret);
}
