// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of RDMA WRITE: a ping-pong through memory, which the server begins; each side polls the last byte that the
 * other writes. Both report half of the round trip that they measured. With --write_with_imm the ping-pong uses
 * receives, as in ib_send_lat, and the server begins, too.
 */
#include "session/session.h"

static const struct program ib_write_lat = PROGRAM_IB_WRITE_LAT;

int main(int argc, char **argv)
{
	return session_main(&ib_write_lat, argc, argv);
}
