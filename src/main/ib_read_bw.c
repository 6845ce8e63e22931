// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bandwidth of RDMA READ: the client reads the server's memory and measures from its first post to its
 * last completion. The server's CPU has no part in it and prints the client's figures.
 */
#include "session/session.h"

static const struct test ib_read_bw = {
	.program = PROGRAM_IB_READ_BW,
	.plain.active = loop_bw_send,
	.plain.both = loop_bw_send,
};

int main(int argc, char **argv)
{
	return session_main(&ib_read_bw, argc, argv);
}
