/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do two ends meet over TCP, and what do they say then? Sockets that never block: every wait is
 * a poll with a limit. Called by perftest_communication.c.
 *
 * tcp_listen() and tcp_connect() report what goes wrong; the others only return it, because
 * their callers know what was waited for.
 */
#ifndef COMM_TCP_H
#define COMM_TCP_H

#include "comm/perftest_communication.h"

int tcp_listen(struct comm_listener *listener, const struct comm_address *address);
void tcp_unlisten(struct comm_listener *listener);
/* Takes a client that waits; -EAGAIN: there is none. Fills fd, carrier and peer. */
int tcp_accept(const struct comm_listener *listener, struct comm *comm);
/* Fills fd, carrier and peer. */
int tcp_connect(const struct comm_address *address, int64_t timeout_ms, struct comm *comm);

#endif
