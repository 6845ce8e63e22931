/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Can what the peer reports about its loop be true, by this side's clock and message size? Its figures are in rows of
 * this side (of READ and WRITE on a server, of both directions, of several pairs), so that a peer with a fault must not
 * become one. Only what cannot be true is refused. Pure functions, called by native.c, native_frame.c and classic.c.
 */
#pragma once

#include "comm/comm.h"

/* since_s: since this side was ready at the barrier, after which the peer's loop has begun. */

/* Each returns NULL, or what cannot be true. size: bytes of a message on this side. */
const char *comm_claim_result(double since_s, uint64_t size, const struct comm_result *result);
const char *comm_claim_samples(double since_s, const struct comm_samples *samples);
const char *comm_claim_verdict(const struct comm_verdict *own, const struct comm_verdict *theirs);
/* Bytes and messages per second. */
const char *comm_claim_rates(uint64_t size, double bw, double message_rate);
/* A number of messages that the peer has sent. */
const char *comm_claim_messages(double since_s, uint64_t messages);
