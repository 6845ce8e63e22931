/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Several pairs, measured at once: --clients on a server, HOST,HOST,... on a client. Each pair is a process of its own,
 * forked before any RDMA resource is opened, and runs an ordinary session (member.h). This process accepts the clients,
 * starts all pairs together, size by size, and prints the sum of their rows (group_row.c).
 *
 * Clients are accepted over TCP only, since rdma_cm would open a device; the connection is passed on to a process once
 * its HELLO has arrived. A client's processes connect themselves. Each pair has its own completion queues: an incast
 * onto a single one is not measured.
 *
 * If a pair ends early the others continue, the row says how many pairs it includes, and the program's exit status says
 * that the test was incomplete. A pair that leaves before all have joined can be replaced.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "comm/comm.h"
#include "params/perftest_parameters.h"
#include "report/row.h"
#include "session/group/member.h"
#include "util/process.h"

/* --- group_process.c: the processes, in a list whose entries become free if their pairs leave before the start. --- */

struct group_ops {
	/* Can a test with these parameters run here? In a process of its own, before any peer is connected. */
	enum exit_status (*probe)(const struct params *params);
	/* Runs the test of one pair; on a server over comm, which the callee closes. */
	enum exit_status (*run)(const struct params *params, struct group_member *member, struct comm *comm);
};

/* What main() returns. */
enum exit_status group_main(const struct params *params, const struct group_ops *ops,
			    const struct comm_address *address);

struct group_process {
	pid_t pid; /* 0: free */
	int fd;
	char name[MEMBER_TEXT_SIZE]; /* "10.0.0.1:43210"; of a server as the user wrote it */
	bool joined;		     /* both sides have agreed */
	bool ready;
	bool measured; /* once the others have: otherwise it was lost */
	bool runs;     /* multicast: its receiver is running, and it awaits the sender */
	bool ended;    /* its status is known */
	enum exit_status status;
	struct member_slot *slot;
};

/* What the processes share. */
struct shared {
	volatile uint32_t missing; /* how many have yet to join */
	struct run_id run_id;
	struct member_sent sent;
	struct member_slot slots[];
};

/* The caller fills in the last three. */
struct processes {
	struct group_process *list;
	struct shared *shared;
	unsigned count;
	const struct params *params;
	const struct group_ops *ops;
	struct comm_listener *listener; /* NULL: this side is a client */
};

/* 0 or -ENOMEM. */
int processes_open(struct processes *processes, unsigned count);
void processes_close(struct processes *processes);

/* Was it started, and is it not known to have ended? */
static inline bool process_is_live(const struct group_process *process)
{
	return process->pid && !process->ended;
}

#define PROCESS_TITLE_SIZE 256
/* "client 10.0.0.1:43210 (alpha, process 4711)". Returns title. */
const char *process_title(const struct processes *processes, const struct group_process *process,
			  char title[PROCESS_TITLE_SIZE]);
void process_send(const struct group_process *process, enum member_message_type type, const char *reason);
/*
 * Starts the n-th process, which calls ops->run(). comm NULL: it connects to the n-th server; on failure the caller
 * still owns it. 0 or -errno, reported.
 */
int process_fork(struct processes *processes, unsigned n, const char *name, struct comm *comm);

/*
 * --- group_row.c: the common row of several pairs that were measured at once; no side effects but memory. ---
 *
 * Its time is that from the first start to the last end of the pairs' measured times, by this host's clock, with which
 * the peers' were compared: each side reports when its time began, and how long it lasted. A total bandwidth is what
 * was moved in that time, so that the rates of pairs which did not run together are never added up; the overlap, the
 * part of it in which all pairs ran, says how far they did. Samples are those of all pairs; minimum, maximum and
 * fairness are those of the pairs' averages, with latency of their medians.
 */

struct group_row {
	struct report_row row; /* peers and latency point to the fields below */
	struct report_peers peers;
	struct report_peer *list;
	double *shares;
	struct latency samples;
};

/* Room for num_pairs pairs; freed with group_row_close(). 0 or -ENOMEM. */
int group_row_open(struct group_row *merged, unsigned num_pairs);
void group_row_close(struct group_row *merged);
/*
 * At least one pair must be measured. sent: multicast, the row of the only sender, whose figures are those of all;
 * otherwise NULL. 0, or -EPROTO: not all measured the same message size.
 */
int group_row_make(struct group_row *merged, const struct group_process *pairs, unsigned num_pairs,
		   const struct report_row *sent);
