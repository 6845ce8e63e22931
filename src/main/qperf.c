// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bandwidth and latency of sockets and of RDMA between two hosts: one server for all tests and clients; the client
 * selects the tests and their options. A drop-in for qperf 0.4.11.
 */
#include "qperf/qperf.h"

int main(int argc, char **argv)
{
	return qperf_main(argc, argv);
}
