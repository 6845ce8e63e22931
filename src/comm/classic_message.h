/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One message of the classic conversation: sent, received, or exchanged. Each function returns 0 or -errno, and reports
 * errors with the noun. Called by classic.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"
#include "comm/wire.h"

#define SAME_OPTIONS                                                                                                   \
	"linux-rdma perftest does not send its options, so both sides need the same program and the same "             \
	"-a, -b, -c, -D, -n, -q, -R, -s and -x"

/* A measurement may last longer than the answer to a message. */
struct deadline classic_deadline(const struct comm *comm);
/* Waits until size bytes have arrived. With a type of keys: and checks, if possible, that they are of this type. */
int classic_await(struct comm *comm, size_t size, enum wire_classic_type type, const char *noun);
int classic_receive(struct comm *comm, struct wire_classic_message *message, const char *noun);
/* Sends a message at once: classic peers treat the result of one read() as the whole message. */
int classic_transmit_bytes(struct comm *comm, const uint8_t *bytes, size_t size, const char *noun);
int classic_transmit(struct comm *comm, const struct wire_classic_message *message, const char *noun);
/* theirs->type is the expected type. */
int classic_swap(struct comm *comm, const struct wire_classic_message *ours, struct wire_classic_message *theirs,
		 const char *noun);
/* Reports why the wait for the peer's `noun` failed. */
int classic_fail(const struct comm *comm, int error, const char *noun);
