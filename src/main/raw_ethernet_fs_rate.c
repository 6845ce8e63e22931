// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rate of steering rules: how long the device takes to create one for a raw packet queue pair, and to destroy it. There
 * is only one side, and no frame is sent.
 */
#include "session/session.h"

static const struct program raw_ethernet_fs_rate = PROGRAM_RAW_ETHERNET_FS_RATE;

int main(int argc, char **argv)
{
	return session_main(&raw_ethernet_fs_rate, argc, argv);
}
