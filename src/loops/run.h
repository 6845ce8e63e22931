/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run: what a hot loop is given (plan), what it calls (hooks) and what it finds (result). A loop looks up no option,
 * prints nothing and allocates no memory.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/frame.h"
#include "stats/latency.h"
#include "stats/schedule.h"
#include "stats/window.h"
#include "util/stop.h"
#include "verbs/queue.h"
#include "verbs/work/wc_status.h"

struct run;

/* The results of idle(), which a loop calls after about a millisecond of polling without completions, or of sleep. */
enum idle_answer {
	IDLE_WAIT, /* keep polling */
	/* the peer has sent everything and no more will arrive: end when this side's sends have completed */
	IDLE_DRAIN,
	IDLE_ABORT, /* the peer is gone, a limit has passed or the user has stopped the run: end now */
};

/* --data_validation: a message that arrived, as its completion describes it. */
struct arrival {
	uint32_t length; /* bytes; on UD with the GRH */
	uint32_t imm;	 /* in host byte order */
	bool has_imm;
	uint32_t offset; /* of its receive from base, if queue pairs share receives */
};

/*
 * --data_validation: each message of a run has a slot of its own. The n-th message of a queue pair goes from its n-th
 * slot to the peer's n-th; slots are spaced by the queue's stride, for lists too. A round has no more messages than
 * there are slots, and as many receives are posted per queue pair, including those left over.
 */
struct message_slots {
	uint64_t first_message;	  /* number of the run's first message: the immediate data counts from it */
	struct arrival *arrivals; /* in order; queue pair i's begin at i * capacity */
	uint32_t *num_arrivals;	  /* one per queue pair */
	uint32_t capacity;	  /* maximum arrivals recorded per queue pair */
};

/* Arrivals per rx_queue, if the device chooses the queue (RSS): for each what the result counts for all. */
struct queue_counts {
	uint64_t *received;
	uint64_t *sampled;
};

/*
 * Frames of one length, on a receiver of several that is not told when the next length begins. What it expects is
 * filled in before the run.
 */
struct length_count {
	uint64_t left;	      /* frames that are still expected; others are not of the run */
	uint64_t begin_after; /* its clock starts when this many have arrived, as for struct run_plan */
	uint64_t frames;      /* that have arrived, as far as they were expected */
	uint64_t unrated;     /* of these, by begin_cycles */
	bool begun;	      /* its clock has finally started */
	uint64_t begin_cycles, end_cycles;
};

#define BURST_BATCH 64 /* most completions per poll; they are on the stack */

/* Messages of later sizes that came with the last ones of a run, which they end: the next run begins with them. */
struct burst_early {
	struct mark marks[BURST_BATCH];
	int count;
};

/* Messages in bursts; see burst.c. */
struct burst_plan {
	/* the last of this many messages is answered; 0, on the answering side: as the messages say */
	uint16_t reply_every;
	uint32_t mark_offset;	   /* of the mark in a message */
	uint64_t *stamps;	   /* asking side: of each message of a burst that is answered; initially zero */
	uint64_t first;		   /* number of the run's first message: over several sizes, numbers go on */
	uint64_t end;		   /* number behind the last message of all sizes */
	struct burst_early *early; /* answering side */
};

/* A request of an open loop that is or was in flight. Cycles. */
struct open_request {
	uint64_t due;  /* its scheduled start */
	uint64_t post; /* the clock just before its post */
	bool answered;
};

/* The requests of an open loop (latency): they are sent on schedule, whether or not earlier ones were answered. */
struct open_plan {
	struct pace pace; /* mean 0: send whenever fewer than tx_depth are in flight, to measure the capacity */
	struct open_request *requests; /* on the asking side: a power of two of them, at least tx_depth */
	uint64_t mask;		       /* that power of two minus one */
	struct latency *since_post; /* the latency of each sample since its post; latency has that since it was due */
	/* Requests may be lost or overtaken, and so have a number: as immediate data, or without a message as wr_id. */
	bool numbered;
	bool may_lose; /* ... and not only overtaken */
};

/* What to do, and at what pace. A loop only reads it; tick() may move the stamps. */
struct run_plan {
	enum ibv_wr_opcode opcode;
	bool inline_data;     /* the message fits the inline size that the device granted */
	uint64_t size;	      /* bytes of a message */
	uint64_t iters;	      /* messages per queue pair; 0: until end_cycles or stop */
	uint64_t all_iters;   /* messages of all rounds, if this is one of them (--data_validation); otherwise 0 */
	uint32_t tx_depth;    /* of a tx_queue */
	uint32_t rx_depth;    /* of an rx_queue */
	uint32_t cq_mod;      /* a completion for every this many messages */
	bool credits_restart; /* the peer restarts its credit count (verbs/qp/credit.h) with each run */
	/* the device accepts only signalled requests: cq_mod is 1, and a ping-pong signals each message */
	bool signals_all;
	bool yields; /* the peer may need this CPU (the software device): a side that polls in vain yields it */
	uint32_t post_list;
	uint32_t recv_post_list;
	uint32_t cqe_poll; /* most completions per poll */
	bool dynamic_poll; /* the loop may choose the number of completions per poll */
	bool want_peak;
	bool per_port; /* two ports, counted separately; the second half of the queue pairs is on the second port */
	uint64_t begin_sample_cycles; /* by time: completions before this stamp do not count (margin); 0: all do */
	uint64_t end_sample_cycles;   /* by time: nor those after it; UINT64_MAX: no end */
	uint64_t end_cycles;	      /* by time: stop posting; UINT64_MAX: when the user stops the run */
	uint64_t over_cycles;	      /* by time: end of the second margin, also on a receiver; 0: not by time */
	uint64_t gap_cycles;	      /* latency: a wait before each sampled exchange, busy but for events */
	/* ping-pong: the sides take turns asking, so that neither side's gap is in a sample */
	bool takes_turns;
	bool marks_held;		/* ping-pong: a message delayed by a tick is marked; not with slots or turns */
	double message_cycles;		/* software rate limit: time per message; 0: none */
	uint32_t burst_size;		/* messages in a burst */
	const struct burst_plan *burst; /* NULL: messages are not answered, or each is answered by itself */
	uint64_t begin_after;		/* receiver: the clock starts when this many have arrived */
	uint32_t arrival_bytes;		/* length that the first arrival must have, including its header; 0: any */
	uint32_t recv_header_bytes;	/* before a message in a receive (UD: the GRH) */
	bool begins;			/* latency: this side posts the first message */
	struct latency *latency;	/* latency: samples are added to it; NULL: not recorded */
	struct open_plan open;		/* latency with requests on schedule; otherwise zero */
	struct queue_counts by_queue;	/* NULLs: not counted per queue; only on a receiving side */
	/*
	 * By length of a frame in memory; the last one is the longest that is expected, and ends the run with its last
	 * frame. NULL: lengths are not looked at.
	 */
	struct length_count *lengths;
	uint32_t num_lengths;
	bool sees_others;		   /* frames that are not of the test: the first one may be of another length */
	const struct message_slots *slots; /* NULL: messages share slots, and their data is not checked */
};

/* What a loop calls. */
struct run_hooks {
	/*
	 * Called between two messages when the clock passes next_tick_cycles; returns the stamp of the next call.
	 * Interval rows and heartbeats. The time that it takes is in no latency sample of this side, unless an answer
	 * is late by 0.1 s, and with marks_held in none of the peer's: a ping-pong delays it until an exchange ends
	 * with its answer. It ends the run by setting result.stopped.
	 */
	uint64_t (*tick)(struct run *run, uint64_t now_cycles);
	uint64_t next_tick_cycles; /* UINT64_MAX: never */
	enum idle_answer (*idle)(struct run *run);
	/*
	 * Called for each message that arrived or was read, before its buffer is reused. Bandwidth with one queue pair,
	 * without lists or slots. length: bytes, at most plan.size. NULL: the data is not looked at.
	 */
	void (*arrived)(const void *data, uint64_t length);
	void *owner; /* for tick and idle */
};

/* Requests that were due in the sample window, except for sent and answered. */
struct open_counts {
	uint64_t sent;	     /* posted in the window, whenever due */
	uint64_t answered;   /* in the window, whenever due */
	uint64_t late;	     /* not sent in time because tx_depth requests were in flight */
	uint64_t lost;	     /* the request or its answer was lost, on a transport that may lose messages */
	uint64_t unanswered; /* in flight when the run ended */
	uint64_t unsent;     /* not posted by then */
	uint64_t given_up;   /* all lost requests, whenever due */
	bool silent;	     /* and no answer has arrived since */
	bool stands_out;     /* an unanswered or unsent request is older than the longest sample */
};

/* What happened. Initially zero, and up to date whenever a hook is called. */
struct run_result {
	uint64_t posted;    /* messages, on all queue pairs */
	uint64_t completed; /* messages whose completion was polled; latency: that were answered */
	uint64_t received;
	/*
	 * Messages inside the sample window, or all without one: completions if this side sends, arrivals if it only
	 * receives, recorded samples in a latency run. A bandwidth run that ends before its window begins counts all
	 * messages.
	 */
	uint64_t sampled;
	uint64_t port_sampled[2];  /* per_port: of sampled */
	uint64_t port_unrated[2];  /* ... of unrated */
	uint64_t port_moved[2];	   /* ... of all */
	uint64_t sampled_arrivals; /* with -b and a sample window: messages that arrived inside it */
	/* bandwidth by time: as sampled, in the margins: what moved by over_cycles is the sum of both */
	uint64_t margins;
	bool sent_all; /* all that this side sends has completed; with -b, arrivals may be outstanding */
	/*
	 * first post, with a rate limit one burst time earlier; on a receiver the first arrivals or burst; by time:
	 * the start of the window
	 */
	uint64_t begin_cycles;
	uint64_t unrated;	/* receiver: sampled messages that arrived by begin_cycles and so are in no rate */
	uint64_t finish_cycles; /* last counted completion; by time: end of the window */
	uint32_t most_found;	/* most completions found by a poll; a latency run asks for one at a time */
	/* last progress, also after the window; with -b of what this side sends; latency: the end of the last sample */
	uint64_t last_cycles;
	struct window window;
	/* messages per cycle, over the windows of stats/window.h; 0: none, or not requested */
	double peak;
	uint32_t first_arrival_bytes; /* -EMSGSIZE: length of the first arrival, which differs from arrival_bytes */
	/* latency: age of the exchange that was open at the end; 0: not worth reporting */
	uint64_t open_cycles;
	bool open_answered; /* it was answered later; otherwise its time would be longer */
	/* ended early by the peer or the end of its connection: it had not ended by then; 0: by neither */
	uint64_t peer_seen_cycles;
	struct open_counts open;
	uint64_t lost;		   /* bursts: answers that did not arrive; on the answering side: messages */
	uint16_t peer_every;	   /* bursts: -EPROTO: the peer's value of reply_every, from its messages */
	bool stopped;		   /* ended early: by the user, or by idle() with IDLE_ABORT */
	bool clock_is_back;	   /* ended early: the clock went back by more than CPUs differ */
	struct wc_failure failure; /* the completion that ended the run; IBV_WC_SUCCESS: none */
};

struct run {
	struct queue_set queues; /* a copy: resources owns the queues */
	struct run_plan plan;
	struct run_hooks hooks;
	struct run_result result;
};

/* Did this side's user end it? A loop also ends early because of the peer, a limit or the clock. */
static inline bool run_was_interrupted(const struct run *run)
{
	return run->result.stopped && stop_requested();
}

/*
 * A loop. Returns 0, also when stopped early (result.stopped); -EIO after a completion with an error (result.failure);
 * -EBADMSG after a completion of a request that was not posted; -EMSGSIZE if the peer's messages have another length;
 * -EPROTO, -EBADE and -ETIME: see run_error_text(); another -errno if a call failed. The caller reports all of them.
 * The result is always filled in.
 */
typedef int (*loop_fn)(struct run *run);

/*
 * Bandwidth. Every cq_mod-th message of a queue pair is signalled, and so is its last; post_list is a multiple of
 * cq_mod and divides iters, and none of them exceeds tx_depth (otherwise -EINVAL). By time, or when the user stops the
 * run, posting ends and what is in flight completes; that may take one more message per queue pair, to signal those
 * after the last signalled one. A receiving side continues until iters messages have arrived or idle() says that no
 * more will. With -b, idle() is called as soon as sent_all becomes true, to tell the peer.
 */
int loop_bw_send(struct run *run); /* SEND, WRITE, READ and atomics, unidirectional */
int loop_bw_recv(struct run *run); /* counts arrivals and reposts receives */
int loop_bw_both(struct run *run); /* both at once, for -b with receives */

/*
 * Latency, on the first queue pair. With requests, and with a gap or turns, a sample begins with the clock reading just
 * before the post of a message (after the gap and the tick) and ends with the first reading after its completion or
 * answer was seen. The reading that ends one sample begins the next, so nothing lies between samples without a gap or
 * tick. Sample n is recorded while message n + 1 is in flight.
 *
 * In a ping-pong without a gap, a sample lasts from just after one post to just after the next, so that neither side
 * reads the clock between an answer and its next message. It contains one round trip and one post, as the other kind
 * does. If a tick or the end follows, the sample begins before its post and ends with its answer; then this post is
 * also in the sample before it, up to the time of the shortest sample, and the post after the tick is in none. By time,
 * and when stopped, one more exchange precedes the end; it is no sample unless it took longer than all others.
 *
 * The side that begins does not sample its first exchange, which measures when the peer, or the path, became ready. So
 * both sides of a ping-pong have iters - 1 samples, and so does a request loop.
 *
 * takes_turns: of every three messages of a side, one asks, after the gap, and is sampled; one answers at once; and one
 * hands over the turn. Each side then has (iters - 1) / 3 samples of iters messages; iters - 1 is a multiple of 3.
 *
 * marks_held: the message after a tick is marked as delayed. It costs each side one sample, and both make one more
 * exchange. Both sides must set it, with iters above 1.
 *
 * By time, an exchange counts, with its whole duration, if it was open at any time in the sample window. An exchange
 * that is unanswered when the run ends counts with the part of the window in which it was open, if that is longer than
 * every other sample, so that an outage at the end is not omitted. finish_cycles - begin_cycles is the window. If the
 * peer has ended, such an exchange was open until peer_seen_cycles.
 *
 * Without a window finish_cycles - begin_cycles is from the start of the first sample, with a gap from the end of the
 * exchange that is none, to the end of the last: each sample's gap is in the time.
 *
 * Both sides make iters exchanges. By time, or when stopped, a side simply ends, and the other side, whose message
 * remains unanswered, ends when its idle() says so.
 */
int loop_lat_write(struct run *run);   /* ping-pong by polling memory, both sides */
int loop_lat_send(struct run *run);    /* ping-pong by receives (SEND, and WRITE with immediate), both sides */
int loop_lat_request(struct run *run); /* READ and atomics: only on the initiator */

/*
 * Latency of messages in bursts of burst_size, on the first queue pair, by number only: the asking side has iters /
 * reply_every samples, minus those lost. A loop_fn; -EPROTO: see peer_every.
 */
int loop_burst_ask(struct run *run);
int loop_burst_answer(struct run *run);

/*
 * Sends each frame back to its sender; sampled counts those sent. A loop_fn; -EMSGSIZE: the first frame had another
 * length (first_arrival_bytes).
 */
int loop_forward(struct run *run);

/*
 * Latency of an open loop. One request precedes the schedule, which begins with its answer, and is no sample. Then a
 * request is posted when it is due; if tx_depth are in flight then, it is late and posted as soon as there are fewer,
 * with its scheduled start unchanged. Every request that was due in the sample window, by its scheduled start, is a
 * sample; the loop waits for answers before it ends.
 *
 * A request that is unanswered when the run ends has an age: its latency, since it was due and since its post, would
 * have been at least that. It counts as its age if that is above the median of the other samples; a lower age says
 * nothing. It is also in result.open.
 *
 * If the transport may lose messages, a request is lost when a later one was answered and its slot is needed, or when
 * nothing was answered for a second; it is counted and is no sample.
 *
 * The n-th message goes to the n-th slot by the stride of its tx_queue; if memory is polled, its last byte says how
 * many times the slots were reused. The slots are initially zero, and there are at least tx_depth. finish_cycles -
 * begin_cycles is the time from the start of the schedule to the last post; by time it is the window.
 */
int loop_open_write(struct run *run);	/* answers arrive in polled memory */
int loop_open_send(struct run *run);	/* ... by receives */
int loop_open_request(struct run *run); /* READ and atomics: completions are the answers */
/* The other side: answers each message with one, in order and with its number, until the peer has ended. */
int loop_echo_write(struct run *run);
int loop_echo_send(struct run *run);

/*
 * Fills every receive queue up to rx_depth (in whole lists of recv_post_list), with slots up to iters; before the
 * barrier that precedes a run with arrivals. 0 or -errno.
 */
int loop_post_receives(struct run *run);
/*
 * Waits for the first message and receives it: received is 1, and the loop that follows continues from there. A
 * loop_fn; if it was stopped, nothing arrived.
 */
int loop_await_first(struct run *run);
/* Posts this many messages per queue pair, in whole lists, and polls all completions; nothing is counted. A loop_fn. */
int loop_warm_up(struct run *run, uint32_t messages);

struct traffic; /* traffic/traffic.h */

/* The loop that a side runs; NULL: none, its peer does everything. */
loop_fn loop_of(const struct traffic *traffic);

/* The sentence for a loop_fn's return value; NULL: it is another error. device: its name. Returns text. */
const char *run_error_text(int error, const char *device, char *text, size_t size);

/*
 * The result of all: counts are added up, and the time is common, from the first start to the last end. There is no
 * peak: each thread's windows end at other times. Of a receiver's first arrivals, results keeps those that may have
 * arrived before the common time. The caller reports failures. The runs may still be in progress.
 */
void run_sum(struct run_result *sum, struct run_result *results, unsigned count);

/*
 * Once all have ended: a thread that was cut short before the sample window began counts everything from its start. If
 * there is one, so do all others: results becomes what each then counts, so that they still add up.
 */
void run_sum_cut_short(struct run_result *sum, const struct run_plan *plan, struct run_result *results, unsigned count);
