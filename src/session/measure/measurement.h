/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The measurement: what its files do for each other, and session_measure(), which session.c calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "loops/run.h"
#include "report/row.h"
#include "session/state.h"
#include "stats/series.h"

/* --- the progress of a run: what this layer records while its loop moves messages. --- */

struct intervals {
	bool failed; /* the loop was ended by an error */
	uint64_t begin;
	uint64_t count;		       /* messages before the interval */
	struct run_result load_before; /* --rate: as it was at its start */
};

struct run_progress {
	struct session *session;
	bool counts_arrivals;	    /* this side counts arrivals, not posts */
	struct latency *total;	    /* latency with intervals: all samples; run->latency has those of the interval */
	struct latency *total_post; /* the same for open.since_post */
	uint64_t interval_cycles;
	struct intervals interval;
	bool goes_on; /* it is not the first measurement of the test: the peer has been there */
	uint64_t heartbeat_cycles;
	uint64_t next_interval;	 /* UINT64_MAX: no further row but the last */
	uint64_t interval_end;	 /* by time: end of the last interval, whose row follows the loop; else UINT64_MAX */
	uint64_t next_heartbeat; /* UINT64_MAX: none, the peer sees our messages */
	uint64_t start_cycles;
	uint64_t beat_cycles;	  /* when this side sent its last heartbeat; before the first one, the start */
	uint64_t peer_messages;	  /* of the side channel, as of then, by struct comm's interim */
	uint64_t silent_cycles;	  /* since its last one, as far as this side was running */
	bool peer_beats;	  /* one has arrived since the start: more will */
	uint64_t idle_count;	  /* messages at the last call of idle */
	uint64_t next_event_look; /* stamp from which idle checks the device's events */
	uint64_t idle_since;	  /* stamp of the last progress that idle saw; 0: none yet */
	/* of its last call before the peer stopped or its connection ended; before the first one, the start */
	uint64_t idle_cycles;
	uint64_t ended_cycles; /* when the loop had ended */
	/* since when nothing has arrived from a peer that has sent everything; 0: it has not */
	uint64_t drain_since;
	uint64_t earlier; /* messages of earlier rounds (--data_validation) */
	uint64_t planned; /* of all rounds; 0: there is only one */
	bool done_sent;	  /* the peer knows that this side has sent everything, */
	bool stop_sent;	  /* and that its user has stopped it */
	bool awaits_peer; /* by time: the clock starts with the first answer */
	bool time_over;	  /* by time, with a classic peer: this side's clock ended the loop */
	int error;	  /* what ended the run on this side; reported; 0: nothing */
};

/* --- measure.c: the measurement. --- */

/* Measures all message sizes, one after the other, and prints their rows. 0 or -errno, reported. */
int session_measure(struct session *session);

/* --- plan.c: the plan of a run: its clock, and its messages. --- */

/* Fills in all of the plan that does not depend on when the run begins. */
void session_fill_run(const struct session *session, uint64_t size, struct run *run);

/* Stamps that depend on when the run begins; called right before the loop, and by a tick if awaits_peer. */
void session_start_clock(struct run_progress *progress, struct run *run, uint64_t now_cycles);

/*
 * After the loop of a side that receives by time, with a rate limit: the sender's bursts fill its sample window, so
 * this side's rate is that of everything that arrived in its own window, which may have begun slightly later.
 */
void session_take_window(const struct session *session, struct run *run);

/*
 * The messages of a latency run for this many samples. The first exchange is no sample; if the sides take turns, a
 * sample needs three messages.
 */
uint64_t session_messages(const struct session *session, uint64_t samples);
uint64_t session_samples(const struct session *session, uint64_t messages);
/*
 * Messages of a queue pair that must arrive before a run by number may end. Without a side channel it is unknown
 * whether the peer makes the exchange that is no sample: linux-rdma perftest does not.
 */
uint64_t session_messages_due(const struct session *session, const struct run *run);
/* How many times the other side receives each message: once per queue pair that is in the multicast group. */
uint64_t session_copies(const struct session *session);
/* Of the sizes of the run this is the first, second ...; of the largest: how many there are. */
unsigned session_size_number(const struct session *session, uint64_t size);
/* Moves on to the next one; false: there is none. */
bool session_next_size(const struct session *session, uint64_t *size);
/* Number of samples kept for -H and -U, if requested: otherwise memory must not grow with -n. */
size_t session_raw_samples(const struct session *session, uint64_t samples);
/*
 * Without a side channel the sides cannot take turns: with --latency_gap the side that begins waits and measures; this
 * side answers at once and has no figures, as the other side's wait would be in them.
 */
bool session_only_answers(const struct session *session);

/*
 * --- lengths.c ---
 *
 * Raw Ethernet with --sizes, on a side that only receives: the run of all sizes.
 */

/* session.lengths stays NULL on other sides; the caller frees it. 0 or -ENOMEM, reported. */
int session_open_lengths(struct session *session);
/* run: filled in for the largest size. */
void session_plan_lengths(const struct session *session, struct run *run);
/* After it: makes run what it would have been with this size alone. Has any frame of that arrived? */
bool session_take_length(const struct session *session, uint64_t size, struct run *run);
/* Is it the last size of which something has arrived, and are frames missing? */
bool session_length_is_cut(const struct session *session, uint64_t size);

/*
 * --- load.c ---
 *
 * The loads of an open loop (--rate): one rate, or shares of a maximum that is measured first, one after the other.
 * Both sides go through them together; only the asking side knows the rate of requests.
 */

/* Without --rate these do nothing, and there is one load. 0 or -errno, reported. */
int session_load_open(struct session *session);

/* Has a maximum to be measured first? If so, that is measured until session_load_take_maximum(). */
bool session_load_seeks_maximum(struct session *session);
/* 0, or -ENODATA, reported: nothing was answered. */
int session_load_take_maximum(struct session *session, const struct run *run);
/* Moves on to the next load; false: there is none. */
bool session_load_next(struct session *session);

/* The share of the maximum that is measured, in percent; 0: the load is not a share. */
unsigned session_load_share(const struct session *session);

/* May its requests be so far apart that the answering side would take it for an outage? Known on the asking side. */
bool session_load_is_slow(const struct session *session);
/* Sets the pace of a run before it begins, and where its requests are recorded. */
void session_load_fill(const struct session *session, struct run *run);
/* Sets the start and end of a measurement of the maximum; the options determine those of other measurements. */
void session_load_bound(const struct session *session, struct run *run, uint64_t now);
/* Fills in the load of a row: of the whole run, or of what happened after `before`, in row->seconds. */
void session_load_row(const struct session *session, const struct run *run, const struct run_result *before,
		      struct report_row *row);

/* --- loop.c: runs a side's loop. --- */

/* Runs this side's loop, whatever its role, and tells the peer when it is over. 0 or -errno, reported. */
int session_run_loop(struct session *session, struct run *run, struct run_progress *progress);

/*
 * Without a side channel, a side that only answers or counts cannot know when the other side begins: it waits for the
 * first message, without a limit, and counts it. 0, also when the user stopped it (result.stopped); or -errno,
 * reported.
 */
int session_await_first(struct session *session, struct run *run, struct run_progress *progress);

/* --- wait.c: what a loop calls while it runs: through the hooks of a struct run, which measure.c sets. --- */

/* On a terminal: the progress of the current size; seconds 0: it begins. */
void session_report_progress(const struct session *session, uint64_t size, double fraction, double seconds);
uint64_t session_tick(struct run *run, uint64_t now_cycles);
enum idle_answer session_idle(struct run *run);
/* Tells the peer how many messages this side has sent: once, and again if the user stops it. 0 or -errno, reported. */
int session_send_done(struct run_progress *progress, const struct run *run);
/* After a timed run without a side channel: was the peer silent at its end, though for less than --timeout? */
void session_warn_of_silence(const struct run_progress *progress, const struct run *run);

/* --- intervals.c: interval rows. --- */

void session_start_intervals(struct run_progress *progress, uint64_t now_cycles);
/* Does an interval end now? The last one of a run by time does not: it ends after the loop. */
bool session_interval_is_due(struct run_progress *progress, uint64_t now_cycles);
/* Ends an interval, which includes those that were missed. 0 or -errno, reported, as for all of these. */
int session_end_interval(struct run_progress *progress, struct run *run, uint64_t now_cycles);
/* The last interval, which ends with the loop. */
int session_end_intervals(struct run_progress *progress, struct run *run, bool failed);
/* The stamp of the next tick. */
uint64_t session_next_tick(const struct run_progress *progress);
/* Messages as this side counts them. */
uint64_t session_messages_so_far(const struct run_progress *progress, const struct run *run);

/*
 * --- limits.c ---
 *
 * Is a result within the limits that the user gave? -w and -y for bandwidth, --max_lat and the like for latency.
 */

/*
 * For each row of a whole result: all must pass. Names each limit that it misses; with --limit_peers, of which peer. A
 * timed row without a message fails without a limit.
 */
void session_check_limits(struct session *session, const struct report_row *row);
/* A row of nothing, as the last error says: the test goes on, and fails. */
void session_fail_as_empty(struct session *session);
/* --limit_intervals: for each row of a whole interval of all that is measured. */
void session_check_interval(struct session *session, const struct report_row *row);
/* ... and after the last: how many missed a limit, and the worst. */
void session_sum_up_intervals(struct session *session);

/* A side without a row has nothing to compare. */
void session_note_limits(const struct session *session);

/* plan.c: the burst plan. */
/* before: measurements before this one. The caller frees its stamps. 0 or -ENOMEM, reported; nothing without bursts. */
int session_open_bursts(struct session *session, struct run *run, unsigned before, struct burst_plan *burst);
/* After the loop: warns if messages were lost. */
void session_report_lost_of_bursts(const struct session *session, const struct run *run);

/* loop.c: before the first measurement, with receives posted: messages that are not counted. 0 or -errno, reported. */
int session_warm_up(struct session *session, struct run *run, struct run_progress *progress);

/*
 * --- threads.c ---
 *
 * --threads: runs this side's loop in several threads at once. Each has a set of queues with completion queues of their
 * own, and a run of its own; they share nothing while they run. The first is the program's own thread: only it calls
 * the hooks (ticks, the peer, the user's limits), for all; the others publish their counts about once a millisecond.
 * Whatever ends one of them, other than its last message, ends all. The first calls them until the last loop is over;
 * the other threads are created before the clock of a run starts, and end after it.
 *
 * The run that the rest of session sees is that of all: its queues are those of all threads, its result the sum. Called
 * by measure.c and loop.c.
 */

/*
 * Once the queue pairs are connected: chooses the CPUs. session.threads stays NULL if one thread is enough, or this
 * side has no loop. 0 or -errno, reported.
 */
int session_open_threads(struct session *session);
void session_close_threads(struct session *session);

/*
 * Before the clock of a run starts: waits until all threads are ready, each on its CPU. session_run_threads() must
 * follow. Does nothing without threads. 0 or -errno, reported.
 */
int session_gather_threads(struct session *session);

/* Runs session.loop in all of them; run is that of all. As a loop_fn. */
int session_run_threads(struct session *session, struct run *run);

/*
 * Prints a row per thread: its messages over the common time, so that they add up to the row that session_row() makes
 * of the run. partial: as in that row. Does nothing without threads. 0 or -errno, reported.
 */
int session_report_threads(struct session *session, const struct run *run, bool partial);

/* --- validate_rounds.c: measures a message size with --data_validation. --- */

/* Allocates memory for the size that was prepared last. 0 or -ENOMEM, reported. */
int session_validation_open(struct session *session);
void session_validation_close(struct session *session);
/* All of a size's messages, checked; total is filled in as a loop would. 0 or -errno, reported. */
int session_run_rounds(struct session *session, struct run *total, struct run_progress *progress);

/* --- validate_check.c: checks the messages that arrived (--data_validation). --- */

/* The source and target slot of the round's n-th message of a queue pair (SEND: of its n-th arrival). */
uint8_t *session_source_slot(const struct session *session, unsigned qp, uint32_t n);
uint8_t *session_sink_slot(const struct session *session, unsigned qp, uint32_t n);
/* Number of queue pairs that share a receive queue. */
uint32_t session_sharers(const struct session *session);
/* Checks the arrivals of a complete round; adds to validation.found and reports errors. */
void session_inspect_round(struct session *session, uint64_t size, uint32_t messages);
/* After atomics: checks the resulting values. */
void session_inspect_source(struct session *session, uint32_t messages);
/* At the end of a size: both sides exchange their results; adds to validation.total. 0 or -errno, reported. */
int session_exchange_verdicts(struct session *session, uint64_t size, struct report_row *row);
/* The result of the whole run, also of one that failed early. */
const struct report_validation *session_validation_end(struct session *session);

/*
 * --- failure.c: what ended a loop early, as a message for both users. ---
 */

/*
 * Warns of asynchronous events of the device that no error has reported: a link that went down explains what the peer
 * saw, and a figure that was measured nevertheless.
 */
void session_warn_of_events(struct session *session);

/* What the device reported by itself, for a message that then says it; "" and false: nothing. */
bool session_take_cause(struct session *session, char *text, size_t size);

/* retransmits_text() for both ports of dual port. Returns text. */
const char *session_retransmits_text(const struct session *session, char *text, size_t size);

/* If no answer arrives: reports whether the peer writes messages of another length into this side's memory. */
bool session_found_other_size(struct session *session, const struct run *run);

/* Reports what ended a loop: a completion with an error, a message of another length, or a failed call. */
void session_report_failure(struct session *session, const struct run *run, int error);

/* --- sides.c: both sides of a measurement, and what they tell each other about it. --- */

/* Exchanges results: remote is the peer's row, results what both reported, by enum report_side. 0 or -errno, reported.
 */
int session_compare_sides(struct session *session, const struct run *run, struct report_row *local,
			  struct report_row *remote, struct comm_result results[2]);

/*
 * --- repeat.c ---
 *
 * The measurements of one message size, and their common row. stats/series.h says how many are enough. Called by
 * measure.c between two measurements; depends neither on the peer nor on what is printed.
 *
 * Each measurement contributes one figure: its average bandwidth, or its median latency. A row has the means of the
 * rates, the sums of what was counted, and all samples.
 */

struct repeat_config {
	struct series_plan plan;
	bool measures; /* this side has figures; otherwise it agrees with its peer */
	bool both;     /* bandwidth: the row's figure is the sum of both sides' (-b), ... */
	bool own;      /* ... or, otherwise, this side's rather than the peer's */
};

struct repeat; /* one measurement */

struct repeats {
	struct repeat_config config;
	struct repeat *list;
	struct series series;	 /* of the figures in the row of all */
	double *sides[2];	 /* likewise, of each enum report_side alone */
	struct latency *samples; /* of all measurements in the row; NULL: bandwidth */
};

/* Free with repeats_close(). has_samples: with latency. 0 or -ENOMEM. */
int repeats_open(struct repeats *repeats, const struct repeat_config *config, bool has_samples);
void repeats_close(struct repeats *repeats);

/* A new message size begins. */
void repeats_begin(struct repeats *repeats);
/*
 * A measurement is complete; copies its rows (total: with -b that of both sides), and the local samples. One without a
 * rate has no figure. 0 or -ENOMEM.
 */
int repeats_add(struct repeats *repeats, const struct report_row *local, const struct report_row *remote,
		const struct report_row *total);
/*
 * The rows of all measurements, of which there is at least one; total: with -b that of both sides. Samples and the
 * figures of each measurement belong to repeats, and are valid until the next size.
 */
void repeats_conclude(struct repeats *repeats, struct report_row *local, struct report_row *remote,
		      struct report_row *total);
