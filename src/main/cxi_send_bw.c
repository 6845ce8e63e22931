// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bandwidth of two-sided sends on HPE Slingshot, with libcxi or a provider of libfabric. The client sends lists, the
 * server answers each; with -b both sides do both.
 */
#include "cxi/cxi.h"

int main(int argc, char **argv)
{
	return cxi_main(argc, argv);
}
