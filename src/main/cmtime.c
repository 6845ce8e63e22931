// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Connection times: creating, binding, resolving, connecting, disconnecting and destroying connections, with rdma_cm or
 * sockets, between two or more instances. Every instance measures its own part; the controller combines them.
 */
#include "cmtime/cmtime.h"

int main(int argc, char **argv)
{
	return cmtime_main(argc, argv);
}
