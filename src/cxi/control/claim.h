/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Can the counts and times that the peer reports for a size be true, by what this side has counted and by its own
 * clock? A row is computed from them, so that a peer with a fault must not get a row. Pure functions, called by run.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cxi/control/wire.h"

/* What this side knows when the peer's result arrives. */
struct cxi_witness {
	bool peer_sends;
	uint64_t iters;	    /* of the peer, to be completed; 0: it has a duration */
	uint64_t window_ns; /* that duration; 0: it has a number of iterations */
	uint64_t responded; /* lists of the peer that this side has responded to */
	uint64_t most_ns;   /* since before the barrier, which the peer has passed after that */
	uint64_t least_ns;  /* from the arrival of its first list to this side's last response */
};

/* NULL, or what cannot be true about a result. */
const char *cxi_claim_sent(const struct cxi_witness *witness, const struct cxi_sent *sent);
/* The same for the peer's checks of the lists that this side started, each of `list` sends. */
const char *cxi_claim_checked(bool verifies, uint64_t lists, uint32_t list, const struct cxi_checked *checked);
