// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --provider: libfabric as a transport. See fabric.h. */
#include "cxi/fabric/fabric.h"

/* The value of a call that may not return: fabric_guard.h. */
#define GUARDED(link, call)                                                                                            \
	(fabric_guard_enter(&fabric_of(link)->guard), fabric_guard_leave(&fabric_of(link)->guard, (call)))

static int connect_peer(struct cxi_link *link, const struct cxi_address *peer)
{
	return GUARDED(link, fabric_connect(link, peer));
}

static int fabric_ops_prepare(struct cxi_link *link, const struct cxi_run *run)
{
	atomic_store(&fabric_of(link)->guard.limit_ms, run->standstill_ms);
	return GUARDED(link, fabric_prepare(link, run));
}

static int fabric_ops_start(struct cxi_link *link)
{
	return GUARDED(link, fabric_start(link));
}

static int poll_progress(struct cxi_link *link, struct cxi_progress *progress)
{
	return GUARDED(link, fabric_poll(link, progress));
}

static int respond(struct cxi_link *link)
{
	return GUARDED(link, fabric_respond(link));
}

static int fabric_ops_finish(struct cxi_link *link, struct deadline deadline)
{
	return GUARDED(link, fabric_finish(link, deadline));
}

static void close_all(struct cxi_link *link)
{
	fabric_guard_enter(&fabric_of(link)->guard);
	fabric_close_endpoint(fabric_of(link));
	fabric_guard_leave(&fabric_of(link)->guard, 0);
	fabric_close(link);
}

const struct cxi_ops cxi_fabric_ops = {
	.name = "libfabric",
	.open = fabric_open,
	.map = fabric_map,
	.connect = connect_peer,
	.prepare = fabric_ops_prepare,
	.start = fabric_ops_start,
	.poll = poll_progress,
	.respond = respond,
	.finish = fabric_ops_finish,
	.close = close_all,
};
