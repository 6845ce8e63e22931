// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of raw Ethernet frames in bursts: the client sends each burst back to back, the server answers every n-th
 * frame (--reply_every). The client reports half of the round trip of each answered frame. There is no side channel:
 * only frames are exchanged.
 */
#include "session/session.h"

static const struct program raw_ethernet_burst_lat = PROGRAM_RAW_ETHERNET_BURST_LAT;

int main(int argc, char **argv)
{
	return session_main(&raw_ethernet_burst_lat, argc, argv);
}
