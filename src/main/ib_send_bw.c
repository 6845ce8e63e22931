// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bandwidth of SEND: the client keeps tx_depth messages in flight on every queue pair. Client and
 * server each measure their own side: the client from its first post to its last completion, the
 * server from the first arrival to the last.
 */
#include "session/session.h"

static const struct program ib_send_bw = PROGRAM_IB_SEND_BW;

int main(int argc, char **argv)
{
	return session_main(&ib_send_bw, argc, argv);
}
