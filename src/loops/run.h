/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run: what a hot loop is told (plan), whom it calls (hooks) and what it finds (result). No option is looked up in
 * a loop, nothing is printed, no memory is allocated.
 */
#ifndef LOOPS_RUN_H
#define LOOPS_RUN_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "stats/latency.h"
#include "stats/schedule.h"
#include "stats/window.h"
#include "util/stop.h"
#include "verbs/queue.h"
#include "verbs/wc_status.h"

struct run;

/* Called when nothing completed for a while (about a millisecond of polling, or while sleeping on events). */
enum idle_answer {
	IDLE_WAIT,  /* go on polling */
	IDLE_DRAIN, /* the peer has sent all, and nothing of it comes any more: end when this side's sends have
		       completed */
	IDLE_ABORT, /* the peer is gone, a limit is over or the user stopped: end now */
};

/* --data_validation: a message that arrived, as its completion says. */
struct arrival {
	uint32_t length; /* bytes; on UD with the GRH */
	uint32_t imm;	 /* in the host's order */
	bool has_imm;
	uint32_t offset; /* of its receive from base, where queue pairs share receives */
};

/*
 * --data_validation: where each message of a run has a slot of its own. The n-th message of a queue pair
 * goes from its n-th slot to the peer's n-th; the slots are those of the queue's stride, for lists too. A round has no
 * more messages than there are slots, and so many receives are posted for each queue pair, the leftover ones included.
 */
struct message_slots {
	uint64_t first_message;	  /* number of the run's first message: the immediate data counts from it */
	struct arrival *arrivals; /* in order; queue pair i's begin at i * capacity */
	uint32_t *num_arrivals;	  /* one per queue pair */
	uint32_t capacity;	  /* arrivals of a queue pair that are noted */
};

/* What came to each rx_queue, where the device chooses it (RSS): of each, as the result counts all of them together. */
struct queue_counts {
	uint64_t *received;
	uint64_t *sampled;
};

/* Messages in bursts; see burst.c. */
struct burst_plan {
	uint16_t reply_every; /* the last one of so many messages is answered; who answers, 0: as the messages say */
	uint32_t mark_offset; /* of the mark in a message */
	uint64_t *stamps;     /* who asks: of each message of a burst that is answered; zeros */
};

/* A request of an open loop that is on its way, or was. Cycles. */
struct open_request {
	uint64_t due;  /* its planned start */
	uint64_t post; /* the clock's reading just before its post */
	bool answered;
};

/* The requests of an open loop (latency): they leave on schedule, whatever becomes of those before them. */
struct open_plan {
	struct pace pace; /* mean 0: whenever fewer than tx_depth are in flight, to see how many a second that is */
	struct open_request *requests; /* of the side that asks: room for a power of two of them, tx_depth at least */
	uint64_t mask;		       /* that power less one */
	struct latency *since_post; /* the time of each sample from its post; latency has that from when it was due */
	bool numbered;		    /* messages may be lost, and so carry their numbers as immediate data */
};

/* What to do, and at what pace. A loop only reads it; tick() may move the stamps. */
struct run_plan {
	enum ibv_wr_opcode opcode;
	bool inline_data;     /* the message fits the granted inline size */
	uint64_t size;	      /* bytes of a message */
	uint64_t iters;	      /* messages per queue pair; 0: until end_cycles or stop */
	uint64_t all_iters;   /* those of all rounds, where this is one of them (--data_validation); 0: it is not */
	uint32_t tx_depth;    /* of a tx_queue */
	uint32_t rx_depth;    /* of an rx_queue */
	uint32_t cq_mod;      /* one completion for so many messages */
	bool credits_restart; /* the peer counts its credits (verbs/credit.h) anew with each run */
	bool signals_all;     /* the device takes signalled requests only: cq_mod is 1, and a ping-pong's are, too */
	uint32_t post_list;
	uint32_t recv_post_list;
	uint32_t cqe_poll; /* completions asked for at once */
	bool dynamic_poll; /* the loop may choose how many completions it asks for */
	bool want_peak;
	bool per_port; /* two ports: what moves is counted for each. The second half of the queue pairs is the second's
			*/
	uint64_t begin_sample_cycles;	/* by time: completions before this stamp do not count (margin), 0: all do */
	uint64_t end_sample_cycles;	/* by time: nor those after it; UINT64_MAX: no end */
	uint64_t end_cycles;		/* by time: stop posting; UINT64_MAX: until the user stops it */
	uint64_t over_cycles;		/* by time: the end of the second margin, on a receiver, too; 0: not by time */
	uint64_t gap_cycles;		/* latency: busy wait before each exchange that is sampled */
	bool takes_turns;		/* ping-pong: the sides ask by turns, so that neither's gap is in a sample */
	bool marks_held;		/* ping-pong: a message that a tick held up says so; not with slots or turns */
	double message_cycles;		/* software rate limit: time of a message; 0: none */
	uint32_t burst_size;		/* messages in a burst */
	const struct burst_plan *burst; /* NULL: they are not answered, or each by itself */
	uint64_t begin_after;		/* receiver: the clock starts when so many have arrived */
	uint32_t arrival_bytes;	      /* what the first arrival must say of its length, with what is in front of it; 0:
					 anything */
	uint32_t recv_header_bytes;   /* in front of a message in a receive (UD: the GRH) */
	bool begins;		      /* latency: this side posts the first message */
	struct latency *latency;      /* latency: where samples go; they are only added to it. NULL: nowhere */
	struct open_plan open;	      /* latency, where requests leave on schedule; zeros otherwise */
	struct queue_counts by_queue; /* NULLs: they are not counted one by one; only where this side receives */
	const struct message_slots *slots; /* NULL: messages share slots, and they are not looked into */
};

/* Whom a loop calls. */
struct run_hooks {
	/*
	 * Called between two messages when the clock passes next_tick_cycles; returns the stamp of
	 * the next call. Interval rows and heartbeats. The time it takes is in no latency sample of
	 * this side, unless an answer is late by 0.1 s, and with marks_held in none of the peer's: in a ping-pong
	 * it waits for an exchange that ends with its answer. It ends the run by setting result.stopped.
	 */
	uint64_t (*tick)(struct run *run, uint64_t now_cycles);
	uint64_t next_tick_cycles; /* UINT64_MAX: never */
	enum idle_answer (*idle)(struct run *run);
	/*
	 * Called for each message that arrived, or that a READ brought, before its place is used again. Bandwidth, one
	 * queue pair, neither lists nor slots. length: bytes, at most plan.size. NULL: the data is not looked at.
	 */
	void (*arrived)(const void *data, uint64_t length);
	void *owner; /* for tick and idle */
};

/* Of the requests that were due in the sample window, but for sent and answered. */
struct open_counts {
	uint64_t sent;	     /* posted in the window, whenever they were due */
	uint64_t answered;   /* in the window, whenever they were due */
	uint64_t late;	     /* found tx_depth requests in flight when they were due */
	uint64_t lost;	     /* on their way to and fro, where the transport may lose messages */
	uint64_t unanswered; /* still on their way when the run ended */
	uint64_t unsent;     /* not even posted by then */
	uint64_t given_up;   /* all that were lost, whenever they were due */
	bool silent;	     /* and nothing was answered since then */
	bool stands_out;     /* one that was unanswered or unsent is older than each sample that was answered */
};

/* What happened; zeros before, and up to date when a hook is called. */
struct run_result {
	uint64_t posted;    /* messages, all queue pairs */
	uint64_t completed; /* messages whose completion was seen; latency: whose answer came */
	uint64_t received;
	/*
	 * The measured messages inside the sample window (all, without one): completions where this
	 * side sends, arrivals where it only receives. Latency: the recorded samples. A bandwidth run that
	 * was cut short before its window began counts all that it did.
	 */
	uint64_t sampled;
	uint64_t port_sampled[2];  /* per_port: of sampled */
	uint64_t port_unrated[2];  /* ... and of unrated */
	uint64_t port_moved[2];	   /* ... and of all */
	uint64_t sampled_arrivals; /* with -b and a sample window: messages that arrived inside of it */
	uint64_t margins; /* bandwidth by time: as sampled, of the margins: what moved by over_cycles is both */
	uint64_t arrivals_in_time; /* ... and with -b received when the last of these was counted */
	bool sent_all;		   /* all that this side sends is completed; with -b, arrivals may be outstanding */
	uint64_t begin_cycles;	   /* first post, with a rate limit the time before it; on a receiver when the first
				      arrivals, or burst, were seen; by time: the window's begin */
	uint64_t unrated;	   /* of sampled: receiver: what arrived until begin_cycles, and is in no rate */
	uint64_t finish_cycles;	   /* last completion counted; by time: the window's end */
	uint32_t most_found;	   /* the most completions of one poll; a latency run asks for one at a time */
	uint64_t last_cycles; /* when something moved last, also behind the window; with -b of what this side sends */
	uint64_t arrived_cycles; /* bandwidth: ... of all */
	struct window window;
	double peak;		      /* messages per cycle, of the windows of stats/window.h; 0: none, or not wanted */
	uint32_t first_arrival_bytes; /* -EMSGSIZE: what the first arrival said instead of arrival_bytes */
	uint64_t open_cycles;	      /* latency: of the exchange that was open at the end; 0: none worth a word */
	bool open_answered;	      /* it was answered later; otherwise it would have taken longer still */
	struct open_counts open;
	uint64_t lost;		   /* bursts: answers that did not come; who answers: messages */
	uint16_t peer_every;	   /* bursts: -EPROTO: what the messages say instead of reply_every */
	bool stopped;		   /* ended early: by the user, or by idle() with IDLE_ABORT */
	bool clock_is_back;	   /* ended early: the clock went back, more than it does between CPUs */
	struct wc_failure failure; /* the completion that ended the run; IBV_WC_SUCCESS: none did */
};

struct run {
	struct queue_set queues; /* a copy: the queues themselves are resources' */
	struct run_plan plan;
	struct run_hooks hooks;
	struct run_result result;
};

/* Did this side's user end it? A loop also ends early by the peer, by a limit or by a clock. */
static inline bool run_was_interrupted(const struct run *run)
{
	return run->result.stopped && stop_requested();
}

/*
 * A loop: 0, also when stopped early (result.stopped); -EIO after a completion with an error
 * (result.failure); -EBADMSG after one of a request that was not posted, or of more than were; -EMSGSIZE: the peer
 * sends messages of another length; -EPROTO, -EBADE and -ETIME: see run_error.h; another -errno when a call was
 * refused. The caller reports both. The result is filled in any case.
 */
typedef int (*loop_fn)(struct run *run);

/*
 * Bandwidth. Every cq_mod-th message of a queue pair is signalled, and its last; post_list is a multiple
 * of cq_mod and divides iters, and none is above tx_depth (-EINVAL otherwise). By time, or when the
 * user stops, posting ends and what is in flight completes; that may take one more message per queue pair,
 * to signal those behind the last signalled one. A side that receives then goes on until iters have
 * arrived or idle() says that no more will come. With -b idle() is called at once when sent_all
 * becomes true, to tell the peer.
 */
int loop_bw_send(struct run *run); /* posts and reaps: SEND, WRITE, READ, atomics, unidirectional */
int loop_bw_recv(struct run *run); /* counts arrivals and reposts receives */
int loop_bw_both(struct run *run); /* both at once, for -b with receives */

/*
 * Latency, on the first queue pair. Of a request, and with a gap or turns, a sample begins with the clock's reading
 * just before the post of a message (after the gap and the tick) and ends with the first reading after the completion,
 * or the answer, was seen. The reading that ends one begins the next, so nothing lies between the samples of a run
 * without gap and tick. Sample n is recorded while message n + 1 is on its way.
 *
 * Of a ping-pong without a gap a sample is from just behind the post of a message to just behind the next, for which
 * its answer was awaited, so that neither side reads the clock between the two. As long as the other, it has one way to
 * and fro and one post. A sample behind which there is more to do, a tick or the end, begins before its post and ends
 * with its answer; so this post is in the sample before, too, and of that behind a tick in none. By time, and when
 * stopped, one exchange more precedes the end, which is none, unless it took longer than all others.
 *
 * The side that begins takes no sample of its first exchange: that one measures when the peer, or the path, got ready.
 * So both sides of a ping-pong have iters - 1 samples, and so has a request.
 *
 * takes_turns: of every three messages of a side one asks, after the gap, and is sampled; one answers at
 * once; and one hands the turn over. The sides then have (iters - 1) / 3 samples of iters messages, where iters is
 * one more than a multiple of 3.
 *
 * marks_held: the message after a tick says that it was held up. Each side has one sample less of it, and both
 * make one exchange more. Both sides must have it, and iters be above 1.
 *
 * By time an exchange counts that was open at some time in the sample window, with all the time that it took. One
 * that is not answered when the run ends counts with the part of the window in which it was open, if that is
 * longer than every other sample: an outage at the end is not left out. finish_cycles - begin_cycles is the window.
 *
 * iters exchanges on both sides; by time, or when stopped, a side simply ends, and the other, whose
 * message stays without answer, when its idle() says so.
 */
int loop_lat_write(struct run *run);   /* ping-pong on memory, both sides */
int loop_lat_send(struct run *run);    /* ping-pong on receives (SEND, and WRITE with immediate), both sides */
int loop_lat_request(struct run *run); /* READ and atomics: the initiator alone */

/*
 * Latency of messages in bursts of burst_size, on the first queue pair, by number alone: who asks has iters /
 * reply_every samples, less those that were lost. A loop_fn; -EPROTO: see peer_every.
 */
int loop_burst_ask(struct run *run);
int loop_burst_answer(struct run *run);

/*
 * Sends each frame back from where it came; sampled are those that have gone. As a loop_fn; -EMSGSIZE: the first one
 * was of another length (first_arrival_bytes).
 */
int loop_forward(struct run *run);

/*
 * Latency of an open loop. One request precedes the schedule, which begins with its answer, and is no sample. From then
 * on a request is posted when it is due, or when it is late and fewer than tx_depth are in flight, as soon as that is
 * so; its planned start stays what it was. Every request that was due in the sample window, by its planned start, is a
 * sample; answers are awaited before the loop ends.
 *
 * What is not answered when the run ends has an age, and its sample, since it was due and since its post, would have
 * been at least that. Such a one counts as its age, if that is above the median of the other samples: an age that
 * is not says nothing. It is in result.open, too.
 *
 * Where the transport may lose messages a request is lost when a later one was answered and its place is needed, or
 * when nothing was answered for a second; it is counted and is no sample.
 *
 * The n-th message goes to the n-th slot by the stride of its tx_queue; by memory its last byte says how often the
 * slots were gone through. Slots begin with zero there, and there are at least tx_depth. finish_cycles - begin_cycles
 * is the time from the begin of the schedule to the last post, by time the window.
 */
int loop_open_write(struct run *run);	/* answers come by memory */
int loop_open_send(struct run *run);	/* ... by receives */
int loop_open_request(struct run *run); /* READ and atomics: completions are the answers */
/* The other side: each message is answered by one, in its order and with its number, until the peer has ended. */
int loop_echo_write(struct run *run);
int loop_echo_send(struct run *run);

/*
 * Fills every receive queue up to rx_depth (to whole lists of recv_post_list), with slots to
 * no more than iters; before the barrier that precedes a run with arrivals. 0 or -errno.
 */
int loop_post_receives(struct run *run);
/*
 * Waits for the first message and takes it: received is 1, and the loop that follows counts on. As a loop_fn; nothing
 * came when it was stopped.
 */
int loop_await_first(struct run *run);
/* So many messages per queue pair, whole lists, all completions reaped, nothing counted. As a loop_fn. */
int loop_warm_up(struct run *run, uint32_t messages);

struct traffic; /* traffic/traffic.h */

/* The loop of a side; NULL: it has none, as its peer does all. */
loop_fn loop_of(const struct traffic *traffic);

#endif
