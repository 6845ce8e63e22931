// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bandwidth of RDMA WRITE: the client writes into the server's memory and measures from its first post to its last
 * completion. The server's CPU is not involved; it prints the client's figures. With --write_with_imm it counts
 * arrivals and prints its own.
 */
#include "session/session.h"

static const struct program ib_write_bw = PROGRAM_IB_WRITE_BW;

int main(int argc, char **argv)
{
	return session_main(&ib_write_bw, argc, argv);
}
