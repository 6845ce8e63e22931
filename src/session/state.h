/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One test of one pair, from the meeting to the closing rule; private to the session layer. */
#ifndef SESSION_STATE_H
#define SESSION_STATE_H

#include "comm/perftest_communication.h"
#include "loops/run.h"
#include "params/perftest_parameters.h"
#include "report/report.h"
#include "session/session.h"
#include "util/exit_status.h"
#include "util/log.h"
#include "verbs/perftest_resources.h"

/* Points that both sides reach together; numbered, so that sides that lost step notice. */
enum barrier {
	BARRIER_CONNECTED = 1,
	BARRIER_CLOSE = 2,
	BARRIER_SIZE = 16, /* of the first message size; the next ones follow */
};

struct session {
	const struct test *test;
	struct params params; /* this side's options; on a server with the client's taken over */
	const struct device *device;
	struct device addressed; /* a copy of it with the addresses of the agreed parameters */
	struct comm comm;
	struct comm_hello peer; /* what the other side said of itself */
	struct resources resources;
	struct report *report;

	const struct test_loops *loops; /* test->plain or test->with_imm */
	bool active;			/* this side posts the measured messages (both do with -b) */
	uint64_t largest;		/* bytes of the largest message of the run */
	loop_fn loop;			/* NULL: this side only waits */
	bool peer_loops;		/* the other side runs a loop */

	bool interrupted;	     /* the user or the peer cut the measurement short */
	bool limit_failed;	     /* -w or -y */
	char failure[LOG_TEXT_SIZE]; /* for the report: why the run ended early; "" */
};

/* --- agree.c --- */
/* Both ends greet, the client's parameters reach the server, the server agrees or refuses. 0 or -errno, reported. */
int session_agree(struct session *session);
/* From the agreed parameters: which side does what. */
void session_assign(struct session *session);

/* --- choices.c --- */
/* With --verbose: what is settled once the queue pairs are connected. */
void session_tell_choices(const struct session *session);

/* --- facts.c --- */
int session_report_facts(struct session *session);

/* --- measure.c --- */
/* All message sizes, one after the other, and their rows. 0 or -errno, reported. */
int session_measure(struct session *session);

/* --- wait.c: what a loop calls while it runs --- */
struct pace {
	struct session *session;
	bool counts_arrivals;  /* this side counts what arrives, not what it posts */
	struct latency *total; /* latency with intervals: all of them together; run->latency is the interval's */
	uint64_t interval_cycles;
	uint64_t heartbeat_cycles;
	uint64_t next_interval;	 /* UINT64_MAX: no interval rows */
	uint64_t next_heartbeat; /* UINT64_MAX: none, the peer sees our messages */
	uint64_t start_cycles;
	uint64_t interval_begin;
	uint64_t interval_count; /* messages before the interval */
	double peak;		 /* of the intervals that are over, messages per cycle */
	uint64_t idle_count;	 /* messages when idle was called last */
	uint64_t idle_since;	 /* stamp of the last progress that idle saw; 0: none yet */
	bool done_sent;		 /* the peer knows that this side has sent all */
	int error;		 /* what ended the loop from here; reported; 0: nothing */
};

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

/* --- software.c --- */
/*
 * Where there is no RDMA device, or a soft one is asked for, the program starts itself again with
 * libperftest_soft.so preloaded and this does not return. 0: nothing to do; -errno, reported.
 */
int session_use_software_device(const struct params *params, char **argv);

#endif
