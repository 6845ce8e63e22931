/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Several pairs, measured at once: --clients on a server, HOST,HOST,... on a client. Each pair is a process of its own,
 * forked before anything of RDMA is opened, in which an ordinary session runs (member.h); this process meets the
 * clients, starts all of them together, size by size, and prints what their rows come to (group_row.h).
 *
 * A pair that ends before its time is one row less: the others go on, the row says how many are in it, and the
 * program's status says that it was not all. Before all are there, its place is free again.
 */
#ifndef SESSION_GROUP_H
#define SESSION_GROUP_H

#include "comm/comm.h"
#include "params/perftest_parameters.h"
#include "session/place.h"
#include "util/exit_status.h"

/* What main() returns. */
enum exit_status group_main(const struct params *params, const struct group_ops *ops,
			    const struct comm_address *address);

#endif
