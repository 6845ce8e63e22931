// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bandwidth of SEND: the client keeps tx_depth messages in flight on every queue pair. Client and
 * server each measure their own side: the client from its first post to its last completion, the
 * server from the first arrival to the last.
 */
#include "session/session.h"

static const struct test ib_send_bw = {
	.program = PROGRAM_IB_SEND_BW,
	.plain.active = loop_bw_send,
	.plain.passive = loop_bw_recv,
	.plain.both = loop_bw_both,
	.plain.passive_reports = true,
	.plain.arrivals = true,
	.with_imm.active = loop_bw_send,
	.with_imm.passive = loop_bw_recv,
	.with_imm.both = loop_bw_both,
	.with_imm.passive_reports = true,
	.with_imm.arrivals = true,
};

int main(int argc, char **argv)
{
	return session_main(&ib_send_bw, argc, argv);
}
