/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One pair of several that are measured at once (group.h), in the process that runs its test. To the test it is an
 * ordinary session, except at four moments, when it communicates with the group: it has agreed with its peer, it is
 * ready to start, it has figures, and it ends.
 *
 * Its data is in its slot, in memory shared with the group; messages go over a socket pair per member, so that each
 * side detects the other's end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "explain/explainer.h"
#include "life/pair.h"
#include "loops/run.h"
#include "net/address.h"
#include "params/perftest_parameters.h"
#include "report/row.h"
#include "stats/latency.h"
#include "traffic/payload_limit.h"
#include "util/log.h"
#include "util/run_id.h"

struct session;
struct run_progress;
struct comm_result;

#define MEMBER_TEXT_SIZE 128
#define MEMBER_TEXTS	 14

#define MEMBER_WARNINGS	    8
#define MEMBER_WARNING_SIZE 512

/* What the member writes before it sends a message, and the group reads. Both map it at the same address. */
struct member_slot {
	char host[64];	  /* of the peer; "" if unknown */
	uint64_t process; /* REPORT_NOT_KNOWN */
	struct params params;
	union ibv_gid multicast; /* the group that the peer receives from; 0: none */
	struct payload_path path;
	struct report_info info; /* its strings are those below */
	char texts[MEMBER_TEXTS][MEMBER_TEXT_SIZE], provenance[PROVENANCE_SIZE];
	char warnings[MEMBER_WARNINGS][MEMBER_WARNING_SIZE]; /* so far; "": no more of them */
	struct explainer explainer;			     /* --explain; complete with the facts of the peer */
	/* --- of the last measurement --- */
	struct report_row row; /* latency points to samples, or is NULL */
	struct latency samples;
	int64_t begin_ns, end_ns; /* of the measured time, by this host's CLOCK_MONOTONIC; both 0: not known */
	int64_t error_ns;	  /* both may be so much earlier or later */
};

/* Multicast: of the messages that one member sent to the receivers of all. */
struct member_sent {
	struct run_result result;
	struct report_row row;
};

struct group_member {
	int fd;
	struct member_slot *slot;
	struct member_sent *sent;    /* the sender writes it before MEMBER_SENT, the others read it after GROUP_SENT */
	bool sends;		     /* it is the sender of this measurement */
	const struct run_id *run_id; /* of all pairs */
	const volatile uint32_t *missing; /* how many have yet to join; the group writes it */
};

/* Both sides have agreed, but a server has not told its peer yet. 0, or -errno and why the group refuses the pair. */
int member_join(struct session *session, char *reason, size_t size);
/* For the group's document; also done with each message. */
void member_keep_warnings(struct member_slot *slot);
void member_keep_info(struct session *session, const struct report_info *info);
/* Waits until all pairs, including this one's peer, are ready, and start. Before the barrier. 0 or -errno, reported. */
int member_start(struct session *session);
/*
 * Multicast: runs the loop if this member is the one that sends to all receivers, or else waits for it and takes its
 * result as if the loop had run here. A loop_fn's return value; other errors are reported, and in progress.
 */
int member_run_loop(struct session *session, struct run *run, struct run_progress *progress);
/* Latency: receives the peer's samples if this side's group adds them up, else sends them. 0 or -errno, reported. */
int member_exchange_samples(struct session *session, const struct report_row *local);
/* Passes on this pair's own row; of, to: its time spans on this side and at the peer, if they are parts of it. */
int member_measured(struct session *session, const struct report_row *row, const struct comm_result *const spans[],
		    unsigned num_spans);
