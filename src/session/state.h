/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One test of one pair, from connecting to the closing rule; private to the session layer. */
#pragma once

#include "comm/perftest_communication.h"
#include "life/life.h"
#include "loops/run.h"
#include "params/perftest_parameters.h"
#include "report/counter_class.h"
#include "report/judge.h"
#include "report/report.h"
#include "traffic/payload_limit.h"
#include "util/log.h"
#include "util/process.h"
#include "verbs/device/async_event.h"
#include "verbs/perftest_resources.h"

/* --data_validation, over the sizes of a run. */
struct validation {
	uint64_t next_message; /* of each queue pair, the same on both sides */
	struct message_slots slots;
	uint64_t *first_arrival;	/* one per queue pair: the offset of the round's first arrival */
	bool *seen;			/* of the messages of a round on one queue pair: it has arrived */
	struct comm_verdict found;	/* of this size, in what arrived on this side */
	uint64_t late;			/* of this size: correct, but only when checked again */
	uint64_t twice;			/* of this size: datagrams that arrived more than once */
	uint64_t named;			/* wrong messages that were reported with a line each */
	struct report_validation total; /* of the whole run, both directions */
};

struct threads;	  /* session/measure/threads.c */
struct explainer; /* explain/explainer.h */

/* --rate: see measurement.h. Otherwise zero. */
struct session_load {
	struct load asked;
	bool seeks_maximum;	       /* the maximum is measured, and has no row */
	double maximum;		       /* messages per second; 0: unknown, or on the answering side */
	unsigned step;		       /* of load_steps() */
	struct open_request *requests; /* for struct open_plan; NULL on the answering side */
	uint64_t mask;
};

struct group_member; /* member.h */

/* What the tests of a process have in common: there is one for each client of a server that keeps serving. */
struct session_host {
	struct params params; /* as they were given */
	int argc;
	char **argv;
	struct device device;
	struct comm_listener listener;
	unsigned clients; /* that have come so far */
};

struct session {
	struct session_host *host;
	struct params params; /* this side's options; on a server after taking over the client's */
	/*
	 * A copy of the host's. After both sides have agreed its addresses follow from the parameters, and with -R it
	 * may be another device.
	 */
	struct device device;
	struct device second;	     /* dual port: see device.h; device.second points here. Otherwise zero */
	struct group_member *member; /* if it is one of several pairs at once; NULL: it is measured alone */
	unsigned client_number;	     /* with --keep_serving, from 1; otherwise 0 */
	struct comm comm;
	struct comm_hello peer; /* what the other side said about itself */
	struct resources resources;
	struct report *report;
	struct known_counts retransmits[2]; /* of each port; none on a software device */
	struct async_events events;	    /* of the device, since the test began */
	bool failure_reported;		    /* their cause has been reported */

	struct payload_path path; /* what messages pass through, once the queue pairs are connected */

	struct traffic traffic; /* which side does what, by the agreed parameters */
	loop_fn loop;		/* of this side; NULL: it only waits */
	uint64_t largest;	/* bytes of the largest message of the run: see steps.h */
	bool signals_all;	/* the device accepts only signalled requests */
	unsigned measured;	/* --repeat: completed measurements of this size */

	uint32_t peer_page_bytes; /* 0: a classic peer that does not tell */

	struct ending ending;
	struct report_worst worst;		/* of the intervals of this measurement so far */
	struct judge_intervals interval_limits; /* --limit_intervals */
	struct validation validation;		/* --data_validation; otherwise zero */
	struct session_load load;
	struct queue_counts by_queue; /* --use_rss; otherwise NULLs */
	/*
	 * Raw Ethernet with --sizes: the frames that a side which only receives counts by their length, else NULL; and
	 * what arrived early at one that answers bursts.
	 */
	struct length_count *lengths;
	struct burst_early early;
	struct threads *threads;     /* --threads; NULL: this side's loop has only one */
	struct explainer *explainer; /* --explain; NULL: not asked for */
};
