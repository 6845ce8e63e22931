// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rate of FETCH_AND_ADD or CMP_AND_SWAP (-A) on 8 bytes of the server's memory, measured by the client from its first
 * post to its last completion. The server's CPU is not involved.
 */
#include "session/session.h"

static const struct program ib_atomic_bw = PROGRAM_IB_ATOMIC_BW;

int main(int argc, char **argv)
{
	return session_main(&ib_atomic_bw, argc, argv);
}
