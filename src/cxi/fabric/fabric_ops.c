// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --provider: libfabric as a transport. See fabric.h. */
#include "cxi/fabric/fabric.h"

/* The value of a call that may not return: fabric_guard.h. */
#define GUARDED(link, call)                                                                                            \
	(fabric_guard_enter(&fabric_of(link)->guard), fabric_guard_leave(&fabric_of(link)->guard, (call)))

static int address(struct cxi_link *link, struct cxi_address *own)
{
	*own = fabric_of(link)->own_address;
	return 0;
}

/* Loopback only affects the results of a NIC; without one it does not matter. */
static bool fabric_ops_is_loopback(const struct cxi_link *link)
{
	(void)link;
	return false;
}

static const char *fabric_ops_own_text(const struct cxi_link *link, char text[CXI_TEXT_SIZE])
{
	return fabric_address_text(fabric_of(link), &fabric_of(link)->own_address, text);
}

static const char *fabric_ops_peer_text(const struct cxi_link *link, char text[CXI_TEXT_SIZE])
{
	return fabric_address_text(fabric_of(link), &fabric_of(link)->peer_address, text);
}

static int connect_peer(struct cxi_link *link, const struct cxi_address *peer, struct deadline deadline)
{
	return GUARDED(link, fabric_connect(link, peer, deadline));
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
	.address = address,
	.connect = connect_peer,
	.is_loopback = fabric_ops_is_loopback,
	.own_text = fabric_ops_own_text,
	.peer_text = fabric_ops_peer_text,
	.prepare = fabric_ops_prepare,
	.start = fabric_ops_start,
	.poll = poll_progress,
	.respond = respond,
	.finish = fabric_ops_finish,
	.close = close_all,
};
