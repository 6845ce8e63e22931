/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Several pairs, measured at once: --clients on a server, HOST,HOST,... on a client. Each pair is a process of its own,
 * forked before any RDMA resource is opened, and runs an ordinary session (member.h). This process accepts the clients,
 * starts all pairs together, size by size, and prints the sum of their rows (group_row.h).
 *
 * Clients are accepted over TCP only, since rdma_cm would open a device; the connection is passed on to a process once
 * its HELLO has arrived. A client's processes connect themselves. Each pair has its own completion queues: an incast
 * onto a single one is not measured.
 *
 * If a pair ends early the others continue, the row says how many pairs it includes, and the program's exit status says
 * that the test was incomplete. A pair that leaves before all have joined can be replaced.
 */
#pragma once

#include "comm/comm.h"
#include "params/perftest_parameters.h"
#include "session/group/group_process.h"
#include "util/exit_status.h"

/* What main() returns. */
enum exit_status group_main(const struct params *params, const struct group_ops *ops,
			    const struct comm_address *address);
