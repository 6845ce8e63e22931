/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One test of one pair, from the meeting to the closing rule; private to the session layer. */
#ifndef SESSION_STATE_H
#define SESSION_STATE_H

#include "comm/perftest_communication.h"
#include "loops/run.h"
#include "params/perftest_parameters.h"
#include "report/report.h"
#include "report/resent.h"
#include "util/exit_status.h"
#include "util/log.h"
#include "verbs/event.h"
#include "verbs/perftest_resources.h"

#define SWEEP_SMALLEST 2U	  /* bytes, of -a */
#define SWEEP_LARGEST  (1U << 23) /* bytes */
#define SWEEP_SIZES    23

/* --data_validation, over the sizes of a run. */
struct validation {
	uint64_t next_message; /* of each queue pair, the same at both ends */
	struct places places;
	uint64_t *first_arrival;	/* one per queue pair: where the round's first arrival is, as an offset */
	bool *seen;			/* of the messages of a round on one queue pair: it has arrived */
	struct comm_verdict found;	/* of this size, in what came to this side */
	uint64_t late;			/* of this size: right, but only at a second look */
	uint64_t twice;			/* of this size: datagrams that came more than once */
	uint64_t named;			/* wrong messages that have had a line */
	struct report_validation total; /* of the whole run, both directions */
};

struct session {
	struct params params; /* this side's options; on a server with the client's taken over */
	/*
	 * A copy of the device that was opened at the start; once both sides have agreed with the addresses that follow
	 * from the parameters, and with -R perhaps another one.
	 */
	struct device device;
	const struct device *opened;	/* the one of the start: its context is not the session's to close */
	struct comm_listener *listener; /* of a server; may be closed */
	unsigned client_number;		/* with --keep_serving, from 1; otherwise 0 */
	struct comm comm;
	struct comm_hello peer; /* what the other side said of itself */
	struct resources resources;
	struct report *report;
	struct resent resent;	 /* nothing on a software device */
	struct event_log events; /* of the device, since the test began */
	bool events_told;	 /* their cause has been reported */

	struct verbs_config config; /* by the agreed parameters, as is: */
	struct traffic traffic;	    /* who does what */
	loop_fn loop;		    /* of this side; NULL: it only waits */
	uint64_t largest;	    /* bytes of the largest message of the run */

	uint32_t peer_page_bytes; /* 0: a classic peer that does not say it */

	bool interrupted;	      /* the user or the peer cut the measurement short */
	bool limit_failed;	      /* -w or -y */
	char limit[LOG_TEXT_SIZE];    /* which of them failed first, with size, measured value and limit */
	bool wrong_data;	      /* --data_validation found something, here or at the peer */
	char failure[LOG_TEXT_SIZE];  /* for the report: why the run ended early; "" */
	struct validation validation; /* --data_validation; zeros otherwise */
};

struct pace;

/* --- agree.c --- */
/* Both ends greet, the client's parameters reach the server, the server agrees or refuses. 0 or -errno, reported. */
int session_agree(struct session *session);
/* From the agreed parameters: which side does what. */
void session_assign(struct session *session);

/* --- configure.c --- */
/* config points into params. */
void session_configure(const struct params *params, enum side side, struct verbs_config *config);

/* --- site.c --- */
/* What this side says of its device and host. */
void session_describe_site(const struct device *device, struct comm_site *site);
/* Can the devices of both sides talk at all? Otherwise -ENXIO, and reason says why, for both users. */
int session_check_sites(const struct comm_hello *server, const struct comm_hello *client, char *reason, size_t size);

/* --- choices.c --- */
/* With --verbose: what is settled once the queue pairs are connected. */
void session_tell_choices(const struct session *session);

/* --- facts.c --- */
int session_report_facts(struct session *session);

/* --- measure.c --- */
/* All message sizes, one after the other, and their rows. 0 or -errno, reported. */
int session_measure(struct session *session);

/*
 * What the device reported by itself meanwhile, as a warning where no error has said it: a link that went down explains
 * what the peer saw, and a figure that came out all the same.
 */
void session_warn_of_events(struct session *session);

/* What ended a loop: a completion with an error, a message of another length, or a call that the device refused. */
void session_report_failure(struct session *session, const struct run *run, int error);

/* --- warm_up.c --- */
/* Before the first measurement, with receives posted: messages that count nowhere. 0 or -errno, reported. */
int session_warm_up(struct session *session, struct run *run, struct pace *pace);

/* --- measure.c --- */
/* This side's loop, whatever role it has; tells the peer when it is over. 0 or -errno, reported. */
int session_run_loop(struct session *session, struct run *run, struct pace *pace);

/* Stamps that depend on when the run begins; called right before the loop, and by a tick where awaits_peer. */
void session_start_clock(struct pace *pace, struct run *run, uint64_t now_cycles);

/*
 * A latency run's messages and samples. The first exchange is no sample; where the sides take turns a sample costs
 * three messages.
 */
uint64_t session_messages(const struct session *session, uint64_t samples);
uint64_t session_samples(const struct session *session, uint64_t messages);

/* --- rounds.c: a message size under --data_validation --- */
/* Memory for the size that was prepared last. 0 or -ENOMEM, reported. */
int session_validation_open(struct session *session);
void session_validation_close(struct session *session);
/* All of a size's messages, checked; total is filled as a loop would. 0 or -errno, reported. */
int session_run_rounds(struct session *session, struct run *total, struct pace *pace);
/* Where the round's n-th message of a queue pair comes from, and goes to (SEND: its n-th arrival). */
uint8_t *session_source_place(const struct session *session, unsigned qp, uint32_t n);
uint8_t *session_sink_place(const struct session *session, unsigned qp, uint32_t n);

/* --- inspect.c: what came, and what of it is wrong --- */
/* What arrived in a round that is complete; adds to validation.found and names what is wrong. */
void session_inspect_round(struct session *session, uint64_t size, uint32_t messages);
/* After atomics: what they made of the values. */
void session_inspect_source(struct session *session, uint32_t messages);
/* At the end of a size: both sides tell each other; adds to validation.total. 0 or -errno, reported. */
int session_exchange_verdicts(struct session *session, uint64_t size, struct report_row *row);
/* What is to be said of the whole run, also of one that failed half way. */
const struct report_validation *session_validation_end(struct session *session);

/* --- wait.c: what a loop calls while it runs --- */
struct pace {
	struct session *session;
	bool counts_arrivals;  /* this side counts what arrives, not what it posts */
	struct latency *total; /* latency with intervals: all of them together; run->latency is the interval's */
	uint64_t interval_cycles;
	uint64_t heartbeat_cycles;
	uint64_t next_interval; /* UINT64_MAX: no row but the last one */
	uint64_t interval_end; /* by time: the last interval ends here, and has its row behind the loop; else UINT64_MAX
				*/
	uint64_t next_heartbeat; /* UINT64_MAX: none, the peer sees our messages */
	uint64_t start_cycles;
	uint64_t interval_begin;
	uint64_t interval_count; /* messages before the interval */
	uint64_t interval_arrivals;
	uint64_t idle_count;	  /* messages when idle was called last */
	uint64_t next_event_look; /* stamp from which idle asks the device what happened */
	uint64_t idle_since;	  /* stamp of the last progress that idle saw; 0: none yet */
	uint64_t drain_since;	  /* since when nothing has come of a peer that has sent all; 0: it has not */
	uint64_t earlier;	  /* messages of the rounds before (--data_validation) */
	uint64_t planned;	  /* of all rounds; 0: there is but one */
	bool done_sent;		  /* the peer knows that this side has sent all */
	bool awaits_peer;	  /* by time: the clock starts with the first answer */
	bool time_over;		  /* by time, with a classic peer: this side's clock ended the loop */
	int error;		  /* what ended the loop from here; reported; 0: nothing */
};

/* At a terminal: how far the run of one size is, and of which; seconds 0: it begins. */
void session_tell_progress(const struct session *session, uint64_t size, double fraction, double seconds);
/* The stamp of the next interval row; those that were missed meanwhile are part of the row that is due. */
uint64_t session_next_interval(const struct pace *pace, uint64_t now_cycles);
/* The row of the last interval, which ends with the loop. 0 or -errno, reported. */
int session_end_intervals(struct pace *pace, struct run *run);
uint64_t session_tick(struct run *run, uint64_t now_cycles);
enum idle_answer session_idle(struct run *run);
/* Tells the peer, once, how many messages this side has sent. 0 or -errno, reported. */
int session_send_done(struct pace *pace, const struct run *run);

/* --- rows.c --- */
/* The row of a whole run, or of the interval since pace->interval_begin. */
void session_row(const struct session *session, const struct run *run, struct report_row *row);

/* --- placement.c --- */
/* --pin_cores, --numa_node, or the device's own NUMA node. 0 or -errno, reported. */
int session_place(const struct params *params, const struct device *device);
/* The highest NUMA node of this machine; 0 where the kernel knows none. */
int session_last_node(void);

#endif
