/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One pair of several that are measured at once, as a process of its own: what ib_* (session/group) and cxi_send_bw
 * share. Its process and that of the group exchange messages over a socket pair, so that each notices the other's end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/process.h"

enum member_message_type {
	/* to the group */
	MEMBER_AGREED = 1,
	MEMBER_READY,
	MEMBER_MEASURED,
	MEMBER_RUNS, /* multicast: its receiver is running, */
	MEMBER_SENT, /* ... and it has sent to all of them */
	/* to the member */
	GROUP_TAKES,
	GROUP_REFUSES, /* with the reason */
	GROUP_STARTS,
	GROUP_ENDS,  /* with the reason */
	GROUP_SENDS, /* multicast: this one sends to all receivers */
	GROUP_SENT,  /* ... another one has */
};

struct member_message {
	enum member_message_type type;
	char reason[512];
};

/*
 * Starts the process, without stdout, which the group prints, and in a process group of its own: what a terminal, a
 * shell or timeout(1) sends to all processes of a job reaches only the group's process, which passes it on: each member
 * gets it once. Ctrl-Z is not passed on: it stops that process alone, not the pairs. It gets SIGTERM if the group's
 * process ends. *fd: this side's end. Returns the process, 0 in it, or -errno, reported.
 */
pid_t pair_fork(int *fd);
/* Waits for a process to end and returns its exit status; *signal_number: the signal that killed it, or 0. */
enum exit_status pair_await(pid_t pid, int *signal_number);

/* waits: for room; else it is dropped. 0 or -errno: the other end is gone, which is noticed elsewhere, too. */
int pair_send(int fd, enum member_message_type type, const char *reason, bool waits);
/* Receives a message, if there is one. 0, -EAGAIN, or -ECONNRESET: the other end is gone. */
int pair_receive(int fd, struct member_message *message);
/*
 * Why was this member interrupted? By a group that ends the test, and has sent the reason; by the end of its group's
 * process; or by a user. Discards other messages.
 */
void pair_end_reason(int fd, char *reason, size_t size);
/* Only if the program that started this one was killed. Reported, unless error is -EINTR. Returns error. */
int pair_report_gone(int error);
