// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of raw Ethernet frames: a ping-pong, which the client begins; each side answers what it receives. Both report
 * half of the round trip that they measured. There is no side channel: only frames are exchanged.
 */
#include "session/session.h"

static const struct program raw_ethernet_lat = PROGRAM_RAW_ETHERNET_LAT;

int main(int argc, char **argv)
{
	return session_main(&raw_ethernet_lat, argc, argv);
}
