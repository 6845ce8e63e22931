// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of SEND: a ping-pong, the client begins; each side answers what it receives. Both report
 * half of the round trip that they measured.
 */
#include "session/session.h"

static const struct test ib_send_lat = {
	.program = PROGRAM_IB_SEND_LAT,
	.plain.active = loop_lat_send,
	.plain.passive = loop_lat_send,
	.plain.passive_reports = true,
	.plain.arrivals = true,
	.with_imm.active = loop_lat_send,
	.with_imm.passive = loop_lat_send,
	.with_imm.passive_reports = true,
	.with_imm.arrivals = true,
	.rtt_factor = 2,
};

int main(int argc, char **argv)
{
	return session_main(&ib_send_lat, argc, argv);
}
