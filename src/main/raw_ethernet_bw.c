// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bandwidth of raw Ethernet frames: the client keeps tx_depth frames in flight on every queue pair, the server counts
 * what arrives. There is no side channel: each side measures its own part.
 */
#include "session/session.h"

static const struct program raw_ethernet_bw = PROGRAM_RAW_ETHERNET_BW;

int main(int argc, char **argv)
{
	return session_main(&raw_ethernet_bw, argc, argv);
}
