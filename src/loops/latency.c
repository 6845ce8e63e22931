// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How long does one message take? The loops of all latency tests: one body that posts a message,
 * waits for the answer and takes the time; run.h says what exactly a sample is. Three kinds of answer:
 *
 *   ANSWER_BYTE        the peer writes a byte into our memory (ib_write_lat)
 *   ANSWER_RECEIVE     the peer's message uses up a receive (ib_send_lat, and writes with immediate)
 *   ANSWER_COMPLETION  our own request completes (ib_read_lat, ib_atomic_lat)
 *
 * Between the answer and the next post nothing is done but reading the clock, so that neither side's
 * bookkeeping is in the other's samples: samples are recorded, receives replaced and completions
 * reaped while the next message is on its way.
 *
 * Where a side is to wait before a message (--latency_gap), that wait would be in the samples of the
 * other side, which is waiting for the message. So between our own ends the sides take turns: whose turn it
 * is waits, posts and takes a sample of the exchange; the other one answers at once, gets one message more
 * (whose time is not taken), and then it is its turn. Messages still go to and fro strictly:
 *
 *   beginning side   ask, hand over, answer, ask, hand over, answer ...
 *   other side       answer, ask, hand over, answer, ask, hand over ...
 *
 * A tick (an interval row is printed) is made before a message too, and would be in the sample that the other
 * side is taking. Between our own ends the message that follows it says that it was held up: it has another
 * highest bit in the byte that is polled, or no bytes at all. Then the other side drops its sample, and this one takes
 * none of the answer to such a message; both make an exchange more instead. So a held up message costs either side one
 * sample, also where both hold up theirs.
 */
#include <endian.h>
#include <errno.h>

#include "loops/cq_wait.h"
#include "loops/poll_monitor.h"
#include "loops/post.h"
#include "loops/wr_api.h"
#include "stats/clock.h"
#include "stats/latency.h"
#include "traffic/traffic.h"
#include "util/stop.h"

/*
 * In a ping-pong every 32nd message is signalled, and its completion is awaited before the next
 * signalled one: at most 64 are in the queue. With signals_all each one is.
 */
#define SIGNAL_EVERY (TX_MIN_LATENCY_DEPTH / 2)

#define LOOK_PERIOD_BYTE 4096 /* polls of a nanosecond */
#define LOOK_PERIOD_CQ	 256  /* polls of ten */
#define SLEEP_NS	 1000000
#define HOLD_COST	 8U /* messages */
#define HOLD_CREDIT	 64U

/*
 * While an answer is awaited a tick would be in a sample: only one that is so late does not wait for the answer. And of
 * the other side's ticks a shorter one excuses an answer.
 */
#define TICK_GRACE_NS 100e6

/* An exchange that is still open when the window ends says something when it was open for such a part of it. */
#define OPEN_PART 32

enum lat_flag {
	ANSWER_BYTE = 1 << 0,
	ANSWER_RECEIVE = 1 << 1,
	ANSWER_COMPLETION = 1 << 2,
	LAT_WR_API = 1 << 3,
	LAT_EVENTS = 1 << 4,
	LAT_GAP = 1 << 5,
	LAT_SLOTS = 1 << 6,  /* a slot for each message (--data_validation) */
	LAT_TURNS = 1 << 7,  /* the sides take turns: see above */
	LAT_FAR = 1 << 9,    /* the CPU reaches the byte by a function only */
	LAT_SHARED = 1 << 8, /* receives come from a shared queue (SRQ) */
};

/* What this side's next message is, where sides take turns. */
enum turn { TURN_ASK, TURN_HAND_OVER, TURN_ANSWER };

struct exchange {
	struct tx_queue *tx;
	struct rx_queue *rx;
	const struct wr_poster *poster; /* LAT_WR_API: of messages that were not held up */
	uint64_t limit;			/* messages that this side posts */
	bool signalled;			/* a signalled message of a ping-pong is not reaped yet */
	uint32_t to_signal;
	uint32_t signal_every;
	bool spent;   /* the last answer's receive is to be replaced */
	bool sampled; /* the last sample is to be recorded */
	uint64_t sample_begin;
	uint64_t sample_end;
	bool open;	  /* a message whose answer ends a sample is on its way, */
	uint64_t begin;	  /* since then */
	uint64_t longest; /* of all samples, cycles */
	enum turn turn;
	/* What a message that was held up looks like. */
	uint8_t count_mask;  /* of the polled byte: the bits that count; the others are set where it was held up */
	uint32_t held_bytes; /* of a receive; UINT32_MAX: there are none such */
	/* The answer that came last: */
	bool held;	       /* its byte says that it was held up */
	uint32_t answer_bytes; /* of a receive */
	bool holds;	       /* this side's next message was */
	uint64_t hold_spent;   /* messages: see hold() */
	uint32_t debt;	       /* samples that are still to be left out, because the other side has left out as many */
	unsigned plain_flags;
	uint32_t repost_at;
	struct poll_monitor monitor;
	struct cq_wait cq_wait;
};

/* Takes a ping-pong's completion if there is one, or learns of a failure. 0 or -errno. */
static int exchange_reap(struct run *run, struct exchange *exchange)
{
	struct ibv_wc wc;
	int found = ibv_poll_cq(run->queues.send_cq, 1, &wc);

	if (found < 0)
		return -EIO;
	if (found == 0)
		return 0;
	if (wc.status != IBV_WC_SUCCESS)
		return post_note_failure(run, &wc, &wc + 1, false /* receive */);
	exchange->signalled = false;
	return 0;
}

/* While waiting. 1: end now; 0: wait on; or -errno. */
static int exchange_look(struct run *run, struct exchange *exchange, const unsigned flags)
{
	int err;

	/* Messages that failed complete with an error whether they were signalled or not. */
	if (!(flags & ANSWER_COMPLETION)) {
		err = exchange_reap(run, exchange);
		if (err)
			return err;
	}
	if (poll_monitor_look(&exchange->monitor, run, run->result.posted + run->result.received, clock_cycles()) !=
	    POLL_GO) {
		run->result.stopped = true;
		return 1;
	}
	return exchange->monitor.drained;
}

/* Before another signalled message: until the last one is reaped. As exchange_look(). */
static int reap_last(struct run *run, struct exchange *exchange)
{
	while (exchange->signalled) {
		int result = exchange_reap(run, exchange);

		if (!result && exchange->signalled && poll_monitor_due(&exchange->monitor, 0 /* moved */))
			result = exchange_look(run, exchange, 0 /* no completion is the answer */);
		/* That the peer has all says nothing of the acknowledgements, which may come later. */
		if (result < 0 || run->result.stopped)
			return result;
	}
	return 0;
}

static int exchange_rest(struct exchange *exchange)
{
	int armed = cq_wait_arm(&exchange->cq_wait);

	if (armed)
		return armed < 0 ? armed : 0;
	exchange->monitor.countdown = 1;
	return cq_wait_sleep(&exchange->cq_wait, SLEEP_NS);
}

/* Where the n-th message of a run with slots is, from the first. */
static inline uint64_t exchange_slot_offset(const struct tx_queue *tx, uint64_t n)
{
	return n * tx->step & (tx->span - 1);
}

LOOP_INLINE uint8_t exchange_load(const struct tx_queue *tx, const volatile uint8_t *byte, const unsigned flags)
{
	return flags & LAT_FAR ? tx->load(tx, byte) : *byte;
}

LOOP_INLINE void exchange_store(const struct tx_queue *tx, volatile uint8_t *byte, uint8_t value, const unsigned flags)
{
	if (flags & LAT_FAR)
		tx->store(tx, byte, value);
	else
		*byte = value;
}

/* 1: the answer came; 0: not yet; or -errno. */
LOOP_INLINE int poll_answer(struct run *run, struct exchange *exchange, uint8_t expected, const unsigned flags)
{
	struct ibv_wc wc;
	int found;

	if ((flags & ANSWER_BYTE) && (flags & LAT_SLOTS))
		return exchange_load(exchange->tx,
				     exchange->tx->poll_byte + exchange_slot_offset(exchange->tx, run->result.received),
				     flags) == expected;
	if (flags & ANSWER_BYTE) {
		const uint8_t byte = exchange_load(exchange->tx, exchange->tx->poll_byte, flags);

		if (((byte ^ expected) & exchange->count_mask))
			return 0;
		exchange->held = byte & (uint8_t)~exchange->count_mask;
		return 1;
	}
	found = ibv_poll_cq(flags & ANSWER_RECEIVE ? run->queues.recv_cq : run->queues.send_cq, 1, &wc);
	if (__builtin_expect(found > 0 && wc.status != IBV_WC_SUCCESS, 0))
		return post_note_failure(run, &wc, &wc + 1, flags & ANSWER_RECEIVE);
	if (__builtin_expect(found < 0, 0))
		return -EIO;
	if ((flags & LAT_SLOTS) && (flags & ANSWER_RECEIVE) && found)
		post_note_arrival(run, &wc);
	if ((flags & ANSWER_RECEIVE) && found)
		exchange->answer_bytes = wc.byte_len;
	return found;
}

/* 0: the answer came; 1: the run ends here; or -errno. */
LOOP_INLINE int exchange_await(struct run *run, struct exchange *exchange, uint8_t expected, const unsigned flags)
{
	int result;

	exchange->monitor.countdown = exchange->monitor.period;
	for (;;) {
		result = poll_answer(run, exchange, expected, flags);
		if (result)
			break;
		if (flags & LAT_EVENTS) {
			result = exchange_rest(exchange);
			if (result)
				return result;
		}
		if (poll_monitor_due(&exchange->monitor, 0 /* moved */)) {
			result = exchange_look(run, exchange, flags);
			if (result)
				return result;
		}
	}
	if (result < 0)
		return result;
	/* What the peer wrote before the byte is read after it. */
	if (flags & ANSWER_BYTE)
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	run->result.completed++;
	if (!(flags & ANSWER_COMPLETION))
		run->result.received++;
	if (flags & ANSWER_RECEIVE)
		exchange->spent = true;
	return 0;
}

/* The next message goes from its slot to its slot. */
static void aim(const struct run *run, struct tx_queue *tx, uint64_t offset)
{
	tx->sge->addr = tx->local_base + offset;
	if (traffic_opcode_is_one_sided(run->plan.opcode))
		tx->wr->wr.rdma.remote_addr = tx->remote_base + offset;
	tx->wr->imm_data = htobe32((uint32_t)(run->plan.slots->first_message + run->result.posted));
}

/* As exchange_await(). */
LOOP_INLINE int exchange_post(struct run *run, struct exchange *exchange, const unsigned flags)
{
	struct tx_queue *tx = exchange->tx;
	const uint64_t offset = flags & LAT_SLOTS ? exchange_slot_offset(tx, run->result.posted) : 0;
	struct ibv_send_wr *bad;
	int result;

	if (flags & LAT_SLOTS)
		aim(run, tx, offset);
	if (!(flags & ANSWER_COMPLETION)) {
		bool marks = --exchange->to_signal == 0 || run->result.posted + 1 == exchange->limit;

		if (__builtin_expect(marks, 0)) {
			result = reap_last(run, exchange);
			if (result)
				return result;
			exchange->to_signal = exchange->signal_every;
			exchange->signalled = true;
		}
		tx->wr->send_flags = exchange->plain_flags | (marks ? IBV_SEND_SIGNALED : 0U);
	}
	/* Inline, irdma's and i40iw's libraries take the length of the first piece, also where there is none. */
	if ((flags & ANSWER_RECEIVE) && __builtin_expect(exchange->holds, 0))
		tx->wr->send_flags &= ~(unsigned)IBV_SEND_INLINE;
	if (flags & ANSWER_BYTE)
		exchange_store(tx, tx->post_byte + offset,
			       (uint8_t)(((run->result.posted + 1) & exchange->count_mask) |
					 (exchange->holds ? (uint8_t)~exchange->count_mask : 0)),
			       flags);
	if (flags & ANSWER_RECEIVE)
		tx->wr->num_sge = !exchange->holds;
	if (flags & LAT_WR_API)
		result = (exchange->holds ? &wr_poster_general : exchange->poster)->post_list(tx->qpx, tx->wr);
	else
		result = ibv_post_send(tx->qp, tx->wr, &bad);
	if (__builtin_expect(result, 0))
		return post_refusal(result);
	run->result.posted++;
	return 0;
}

/* Records what the last answer left to record. */
static inline void record(struct run *run, struct exchange *exchange)
{
	const uint64_t cycles = exchange->sample_end - exchange->sample_begin;

	exchange->sampled = false;
	latency_record_between(run->plan.latency, exchange->sample_begin, exchange->sample_end);
	if (cycles > exchange->longest && exchange->sample_end > exchange->sample_begin)
		exchange->longest = cycles;
}

/* Waits for the gap with an eye on everything that ends a run; now: the clock, before and after. As exchange_await().
 */
static int pause_between(struct run *run, struct exchange *exchange, uint64_t *now, const unsigned flags)
{
	const uint64_t grace = exchange->monitor.tick_grace_cycles;
	uint64_t until = *now + run->plan.gap_cycles;
	int result = 0;

	if (exchange->sampled)
		record(run, exchange);
	exchange->monitor.countdown = exchange->monitor.period;
	exchange->monitor.tick_grace_cycles = 0; /* nothing is awaited */
	while (!result && *now < until && *now < run->plan.end_cycles) {
		if (poll_monitor_due(&exchange->monitor, 0 /* moved */))
			result = exchange_look(run, exchange, flags);
		*now = clock_cycles();
	}
	exchange->monitor.tick_grace_cycles = grace;
	return result ? result : *now >= run->plan.end_cycles;
}

/* The receive that an answer used up. */
LOOP_INLINE int exchange_replace(struct run *run, struct exchange *exchange, const unsigned flags)
{
	int err;

	exchange->spent = false;
	if (flags & LAT_SLOTS)
		err = post_replace_slot(exchange->rx, exchange->repost_at, run->plan.recv_post_list,
					flags & LAT_SHARED);
	else
		err = post_replace(exchange->rx, exchange->repost_at, run->plan.recv_post_list, flags & LAT_SHARED);
	return __builtin_expect(err, 0) ? post_refusal(err) : 0;
}

/*
 * Posts the next message and does what can wait until it is on its way. Only when the last receive
 * is used up, its replacement can't wait: the answer would find none.
 */
LOOP_INLINE int exchange_take_turn(struct run *run, struct exchange *exchange, const unsigned flags)
{
	int result = 0;

	if ((flags & ANSWER_RECEIVE) && exchange->spent && __builtin_expect(exchange->rx->posted == 1, 0))
		result = exchange_replace(run, exchange, flags);
	if (!result)
		result = exchange_post(run, exchange, flags);
	if (exchange->sampled)
		record(run, exchange);
	if (!result && (flags & ANSWER_RECEIVE) && exchange->spent)
		result = exchange_replace(run, exchange, flags);
	if (!result && (flags & (ANSWER_BYTE | ANSWER_RECEIVE)) && exchange->signalled)
		result = exchange_reap(run, exchange);
	return result;
}

static void open_exchange(struct run *run, struct exchange *exchange, const unsigned flags)
{
	struct tx_queue *tx = &run->queues.tx[0];
	const uint32_t signal_every = run->plan.signals_all ? 1 : SIGNAL_EVERY;
	uint64_t now = clock_cycles();

	*exchange = (struct exchange){
		.tx = tx,
		.rx = run->queues.rx,
		.limit = run->plan.iters ? run->plan.iters : UINT64_MAX,
		.to_signal = signal_every,
		.signal_every = signal_every,
		.plain_flags = run->plan.inline_data ? IBV_SEND_INLINE : 0,
		.repost_at = flags & ANSWER_RECEIVE ? post_repost_at(run) : 0,
		.turn = run->plan.begins ? TURN_ASK : TURN_ANSWER,
		.count_mask = run->plan.marks_held ? 0x7f : 0xff,
		.held_bytes = run->plan.marks_held ? run->plan.recv_header_bytes : UINT32_MAX,
	};
	tx->wr->send_flags = exchange->plain_flags | IBV_SEND_SIGNALED;
	if (flags & LAT_WR_API)
		exchange->poster = wr_poster_of(tx->qpx, tx->wr);
	poll_monitor_open(&exchange->monitor, flags & ANSWER_BYTE ? LOOK_PERIOD_BYTE : LOOK_PERIOD_CQ, now);
	exchange->monitor.tick_grace_cycles = clock_ns_to_cycles(TICK_GRACE_NS);
	if (flags & ANSWER_RECEIVE)
		cq_wait_add(&exchange->cq_wait, run->queues.recv_channel, run->queues.recv_cq);
	if (flags & ANSWER_COMPLETION)
		cq_wait_add(&exchange->cq_wait, run->queues.send_channel, run->queues.send_cq);
	run->result.begin_cycles = now;
	run->result.finish_cycles = now;
}

static bool has_window(const struct run *run)
{
	return run->plan.end_sample_cycles != UINT64_MAX;
}

/* Is it worth a word that an exchange was open when the window ended, after so long? */
static bool is_outage(const struct run *run, const struct exchange *exchange, uint64_t open_cycles)
{
	return open_cycles > exchange->longest &&
	       open_cycles > (run->plan.end_sample_cycles - run->plan.begin_sample_cycles) / OPEN_PART;
}

/* The answer came: does the exchange count? It does when a part of it lies in the window. */
LOOP_INLINE void close_exchange(struct run *run, struct exchange *exchange, uint64_t now)
{
	const uint64_t begin = exchange->begin;

	exchange->open = false;
	if (now < run->plan.begin_sample_cycles || begin > run->plan.end_sample_cycles)
		return;
	if (!run->result.sampled)
		run->result.begin_cycles = begin;
	run->result.finish_cycles = now;
	run->result.sampled++;
	exchange->sample_begin = begin;
	exchange->sample_end = now;
	exchange->sampled = true;
	if (__builtin_expect(now > run->plan.end_sample_cycles, 0) &&
	    is_outage(run, exchange, run->plan.end_sample_cycles - begin)) {
		run->result.open_cycles = now - begin;
		run->result.open_answered = true;
	}
}

/*
 * The run is over and an answer was still awaited: that took so long at least, in the window. Unless it is longer than
 * every other sample, nothing can be learned from it. Nor where the other side ended in order (drained) at its time.
 */
static void count_open(struct run *run, struct exchange *exchange, uint64_t now, bool drained)
{
	const bool over = now > run->plan.end_sample_cycles;
	const uint64_t end = over ? run->plan.end_sample_cycles : now;

	if (end <= exchange->begin || end <= run->plan.begin_sample_cycles || (drained && !over) ||
	    end - exchange->begin <= exchange->longest || (over && !is_outage(run, exchange, end - exchange->begin)))
		return;
	latency_record(run->plan.latency, end - exchange->begin);
	run->result.sampled++;
	run->result.open_cycles = end - exchange->begin;
}

/* What the last answer left to do. Returns what result becomes. */
static int exchange_finish(struct run *run, struct exchange *exchange, int result, const unsigned flags)
{
	const uint64_t now = clock_cycles();

	if (exchange->sampled)
		record(run, exchange);
	if (exchange->open)
		count_open(run, exchange, now, !run->result.stopped && result >= 0);
	/* Rounds with slots are added up by what they took; otherwise the window is the time, whatever fell into it.
	 */
	if (has_window(run) && !(flags & LAT_SLOTS)) {
		run->result.begin_cycles = run->plan.begin_sample_cycles;
		run->result.finish_cycles = now < run->plan.end_sample_cycles ? now : run->plan.end_sample_cycles;
	} else if (run->result.open_cycles && !run->result.open_answered) {
		run->result.finish_cycles = now;
	}
	if (exchange->spent && result >= 0) {
		int err = exchange_replace(run, exchange, flags);

		result = err ? err : result;
	}
	return result;
}

/*
 * Before a message, but the first, of which no sample is taken anyway: a tick has held it up. Not said of more than
 * every eighth message or so, or a run would not get on where ticks are due all the time; some of that is kept for a
 * tick that would be the longest sample.
 */
static void hold(const struct run *run, struct exchange *exchange, uint64_t tick_cycles)
{
	const uint64_t credit = run->result.posted + HOLD_CREDIT - exchange->hold_spent;

	if (!run->plan.marks_held || !run->result.posted ||
	    credit < (tick_cycles > exchange->longest ? HOLD_COST : HOLD_CREDIT / 2))
		return;
	exchange->holds = true;
	exchange->hold_spent += HOLD_COST;
	if (exchange->limit != UINT64_MAX)
		exchange->limit++;
}

/*
 * The answer was held up, so that the sample is none: or the next one, where both sides' ticks have met. Nor is one
 * left out that took longer than a tick ever should: that is a standstill, whatever the other side has done in it.
 */
static void drop_sample(struct exchange *exchange, uint64_t now)
{
	const bool drops = exchange->open && now - exchange->begin < exchange->monitor.tick_grace_cycles;

	if (exchange->limit != UINT64_MAX) {
		exchange->limit++;
		exchange->debt += !drops;
	}
	if (drops)
		exchange->open = false;
}

LOOP_INLINE bool was_held(const struct exchange *exchange, const unsigned flags)
{
	return flags & ANSWER_RECEIVE ? exchange->answer_bytes == exchange->held_bytes : exchange->held;
}

/*
 * The first answer was not held up: where it looks so, this device gives no length (with immediate data), and it says
 * nothing of those that follow. As a loop_fn.
 */
static int learn_length(struct run *run, struct exchange *exchange)
{
	if (run->result.received != 1)
		return 0;
	if (exchange->answer_bytes == exchange->held_bytes)
		exchange->held_bytes = UINT32_MAX;
	if (!run->plan.arrival_bytes || exchange->answer_bytes == run->plan.arrival_bytes)
		return 0;
	run->result.first_arrival_bytes = exchange->answer_bytes;
	return -EMSGSIZE;
}

static inline bool pays(struct exchange *exchange)
{
	if (__builtin_expect(!exchange->debt, 1))
		return false;
	exchange->debt--;
	return true;
}

/*
 * Before this message, where it is due? The last sample is recorded behind it: those that are have ended before the
 * tick's stamp. Where sides take turns neither side takes the time until a message that hands the turn over.
 */
LOOP_INLINE bool takes_tick(const struct exchange *exchange, const unsigned flags)
{
	return !(flags & LAT_TURNS) || exchange->turn != TURN_ANSWER;
}

LOOP_INLINE int exchange_all(struct run *run, struct exchange *exchange, const unsigned flags)
{
	const bool first = run->plan.begins;
	bool asks = true;
	uint64_t now;
	int result = 0;

	if (!first)
		result = exchange_await(run, exchange, 1, flags);
	if (!first && !result && (flags & ANSWER_RECEIVE))
		result = learn_length(run, exchange);
	now = clock_cycles();
	while (!result) {
		if (flags & LAT_TURNS)
			asks = exchange->turn == TURN_ASK;
		if (takes_tick(exchange, flags) && __builtin_expect(now >= run->hooks.next_tick_cycles, 0)) {
			exchange->begin = now;
			if (poll_monitor_tick(run, now))
				break;
			now = clock_cycles();
			hold(run, exchange, now - exchange->begin);
		}
		if (asks && (flags & LAT_GAP)) {
			result = pause_between(run, exchange, &now, flags);
			if (result)
				break;
		}
		exchange->begin = now;
		result = exchange_take_turn(run, exchange, flags);
		if (result || (!first && run->result.posted == exchange->limit))
			break;
		/* The first exchange measures when the peer, or the path, got ready. */
		exchange->open = asks && !exchange->holds && !(first && run->result.posted == 1) && !pays(exchange);
		exchange->holds = false;
		result = exchange_await(run, exchange, (uint8_t)(run->result.posted + !first), flags);
		if (result)
			break;
		now = clock_cycles();
		if ((flags & ANSWER_RECEIVE) && __builtin_expect(!exchange->open, 0)) {
			result = learn_length(run, exchange);
			if (result)
				break;
		}
		if (__builtin_expect(was_held(exchange, flags), 0))
			drop_sample(exchange, now);
		if (exchange->open)
			close_exchange(run, exchange, now);
		if (flags & LAT_TURNS)
			exchange->turn = exchange->turn == TURN_ANSWER ? TURN_ASK : exchange->turn + 1;
		if (__builtin_expect((first && run->result.posted == exchange->limit) || now >= run->plan.end_cycles,
				     0))
			break;
		if (__builtin_expect(stop_requested(), 0)) {
			run->result.stopped = true;
			break;
		}
	}
	return exchange_finish(run, exchange, result, flags);
}

LOOP_INLINE int latency_body(struct run *run, const unsigned flags)
{
	struct exchange exchange;
	int result;

	open_exchange(run, &exchange, flags);
	result = exchange_all(run, &exchange, flags);
	/* The next run on this queue pair counts on an empty queue. */
	if (!result && !(flags & ANSWER_COMPLETION) && run->result.posted == exchange.limit)
		result = reap_last(run, &exchange);
	run->result.sent_all = !exchange.signalled;
	cq_wait_close(&exchange.cq_wait);
	return result < 0 ? result : 0;
}

/* Each kind of answer by each interface; gaps and events, which cost microseconds anyway, with flags at run time. */
#define LAT_LOOPS(X)                                                                                                   \
	X(write, ANSWER_BYTE)                                                                                          \
	X(write_api, ANSWER_BYTE | LAT_WR_API)                                                                         \
	X(send, ANSWER_RECEIVE)                                                                                        \
	X(send_api, ANSWER_RECEIVE | LAT_WR_API)                                                                       \
	X(request, ANSWER_COMPLETION)                                                                                  \
	X(request_api, ANSWER_COMPLETION | LAT_WR_API)

#define DEFINE(name, flags)                                                                                            \
	static int name##_loop(struct run *run)                                                                        \
	{                                                                                                              \
		return latency_body(run, flags);                                                                       \
	}
LAT_LOOPS(DEFINE)

static int general(struct run *run, unsigned flags)
{
	return latency_body(run, flags & ~(unsigned)LAT_SLOTS);
}

static int with_slots(struct run *run, unsigned flags)
{
	return latency_body(run, flags | LAT_SLOTS);
}

static int latency_choose(struct run *run, unsigned answer, struct ibv_comp_channel *channel, loop_fn plain,
			  loop_fn api)
{
	unsigned flags = answer;

	if (run->queues.tx[0].qpx)
		flags |= LAT_WR_API;
	if (channel)
		flags |= LAT_EVENTS;
	if (run->plan.gap_cycles)
		flags |= LAT_GAP;
	if (run->plan.takes_turns)
		flags |= LAT_TURNS;
	if ((answer & ANSWER_RECEIVE) && run->queues.rx[0].srq)
		flags |= LAT_SHARED;
	if ((answer & ANSWER_BYTE) && run->queues.tx[0].load)
		flags |= LAT_FAR;
	if (run->plan.slots)
		return with_slots(run, flags);
	if (flags & (LAT_EVENTS | LAT_GAP | LAT_TURNS | LAT_SHARED | LAT_FAR))
		return general(run, flags);
	return flags & LAT_WR_API ? api(run) : plain(run);
}

int loop_lat_write(struct run *run)
{
	return latency_choose(run, ANSWER_BYTE, NULL /* bytes have no events */, write_loop, write_api_loop);
}

int loop_lat_send(struct run *run)
{
	return latency_choose(run, ANSWER_RECEIVE, run->queues.recv_channel, send_loop, send_api_loop);
}

int loop_lat_request(struct run *run)
{
	return latency_choose(run, ANSWER_COMPLETION, run->queues.send_channel, request_loop, request_api_loop);
}
