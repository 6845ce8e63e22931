// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bandwidth of RDMA READ: the client reads the server's memory and measures from its first post to its last completion.
 * The server's CPU is not involved; it prints the client's figures.
 */
#include "session/session.h"

static const struct program ib_read_bw = PROGRAM_IB_READ_BW;

int main(int argc, char **argv)
{
	return session_main(&ib_read_bw, argc, argv);
}
