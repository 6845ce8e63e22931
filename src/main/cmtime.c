// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Connections: how long creating, binding, resolving, connecting, disconnecting and destroying them takes,
 * by rdma_cm or by sockets, between two instances or many. Every instance measures its own part; the
 * controller puts all parts together.
 */
#include "cmtime/cmtime.h"

int main(int argc, char **argv)
{
	return cmtime_main(argc, argv);
}
