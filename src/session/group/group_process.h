/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processes of several pairs (group.h), in a list whose entries become free if their pairs leave before the start.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "comm/comm.h"
#include "params/perftest_parameters.h"
#include "session/group/member.h"
#include "util/exit_status.h"

struct group_ops {
	/* Can a test with these parameters run here? In a process of its own, before any peer is connected. */
	enum exit_status (*probe)(const struct params *params);
	/* Runs the test of one pair; on a server over comm, which the callee closes. */
	enum exit_status (*run)(const struct params *params, struct group_member *member, struct comm *comm);
};

struct group_process {
	pid_t pid; /* 0: free */
	int fd;
	char name[MEMBER_TEXT_SIZE]; /* "10.0.0.1:43210"; of a server as the user wrote it */
	bool joined;		     /* both sides have agreed */
	bool ready;
	bool measured;
	bool runs;  /* multicast: its receiver is running, and it awaits the sender */
	bool ended; /* its status is known */
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
/* Waits for a process to end and returns its exit status; *signal_number: the signal that killed it, or 0. */
enum exit_status process_await(pid_t pid, int *signal_number);
