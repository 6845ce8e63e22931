// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of FETCH_AND_ADD or CMP_AND_SWAP (-A) on 8 bytes of the server's memory, one request at a time,
 * from post to completion. The server only waits.
 */
#include "session/session.h"

static const struct program ib_atomic_lat = PROGRAM_IB_ATOMIC_LAT;

int main(int argc, char **argv)
{
	return session_main(&ib_atomic_lat, argc, argv);
}
