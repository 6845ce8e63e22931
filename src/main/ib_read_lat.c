// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of RDMA READ: the client reads the server's memory, one request at a time, and reports the whole time from
 * post to completion. The server only waits.
 */
#include "session/session.h"

static const struct program ib_read_lat = PROGRAM_IB_READ_LAT;

int main(int argc, char **argv)
{
	return session_main(&ib_read_lat, argc, argv);
}
