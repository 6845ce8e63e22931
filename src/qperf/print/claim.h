/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Can the account that the other side sent be true, by what this side has sent and by its own clock? Most figures are
 * computed from both, so that a server with a fault must not become a figure. Only what cannot be true is refused:
 * counts of both sides differ by what is in flight, and clocks by what they are worth. Pure functions, called by
 * client.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "qperf/print/figures.h"

/* Who sees the messages: with READ and atomics only the side that requests them, which also counts for the other. */
enum qperf_active { QPERF_BOTH, QPERF_OWN_ALONE, QPERF_PEER_ALONE };

/* What this side knows. */
struct qperf_witness {
	double since_s;	  /* since this side was ready: the other's time has begun after that */
	double elapsed_s; /* of this side's own account */
	uint64_t sent;	  /* messages of this side, also those in flight */
	uint64_t size;	  /* bytes of a message */
	enum qperf_active active;
	bool ping_pong;	    /* one message is in flight at a time */
	bool may_duplicate; /* the network may deliver a message twice */
};

/* NULL, or what cannot be true. */
const char *qperf_claim_account(const struct qperf_witness *witness, const struct account *peer);
