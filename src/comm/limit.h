/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limits of a test's waits for its peer, and the messages that report that one was reached. For the conversations
 * and perftest_communication.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"
#include "util/deadline.h"

/* The end of a wait that starts now: after timeout_ms, and not after the end that comm_bound() set. */
struct deadline comm_limit(const struct comm *comm);
/* The same with another limit. */
struct deadline comm_limit_of(const struct comm *comm, int64_t ms);
/* Is the time over that comm_bound() set? */
bool comm_is_over(const struct comm *comm);
/* Between the two this side makes its peer wait, and the peer's time does not count. */
void comm_hold(struct comm *comm);
void comm_let_go(struct comm *comm);

/* conn_send() within comm_limit(). */
int comm_send(struct comm *comm, const void *bytes, size_t length);

/* Reports why the wait for the peer's `noun` failed (not for -EINTR). Returns what the caller returns. */
int comm_report(const struct comm *comm, int error, const char *noun);
/* The same for a server that accepted the connection but does not say whether it will serve it. */
int comm_report_busy(const struct comm *comm, int error);
