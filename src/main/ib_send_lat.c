// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of SEND: a ping-pong, which the client begins; each side answers what it receives. Both report half of the
 * round trip that they measured.
 */
#include "session/session.h"

static const struct program ib_send_lat = PROGRAM_IB_SEND_LAT;

int main(int argc, char **argv)
{
	return session_main(&ib_send_lat, argc, argv);
}
