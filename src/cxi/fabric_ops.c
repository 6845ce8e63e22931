// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --provider: libfabric as a transport. See fabric.h. */
#include "cxi/fabric.h"

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

/* --- calls that a guard may have to abandon --- */

struct arguments {
	const void *in;
	struct deadline deadline;
	struct cxi_progress *progress;
};

typedef int (*call_fn)(struct cxi_link *link, const struct arguments *arguments);

static int left(struct cxi_link *link, struct fabric_guard *guard)
{
	const int ret = fabric_guard_left(guard);

	if (ret == -ECONNRESET)
		return cxi_fault(link, ret, "%s: the peer is gone while it held a lock in the shared memory",
				 link->provider);
	return cxi_fault(link, ret,
			 "%s: a call has not returned within %.0f s: the peer was stopped or killed while it held a "
			 "lock in the shared memory",
			 link->provider, (double)guard->limit_ms / 1e3);
}

static int guarded(struct cxi_link *link, call_fn call, const struct arguments *arguments)
{
	struct fabric_guard *guard = &fabric_of(link)->guard;
	int ret;

	if (!fabric_guard_is_on(guard))
		return call(link, arguments);
	if (guard->is_stuck)
		return left(link, guard);
	if (sigsetjmp(guard->way_out, 0 /* no mask */))
		return left(link, guard);
	fabric_guard_enter(guard);
	ret = call(link, arguments);
	fabric_guard_leave(guard);
	return ret;
}

static int call_connect(struct cxi_link *link, const struct arguments *arguments)
{
	return fabric_connect(link, arguments->in, arguments->deadline);
}

static int call_prepare(struct cxi_link *link, const struct arguments *arguments)
{
	return fabric_prepare(link, arguments->in);
}

static int call_start(struct cxi_link *link, const struct arguments *arguments)
{
	(void)arguments;
	return fabric_start(link);
}

static int call_poll(struct cxi_link *link, const struct arguments *arguments)
{
	return fabric_poll(link, arguments->progress);
}

static int call_respond(struct cxi_link *link, const struct arguments *arguments)
{
	(void)arguments;
	return fabric_respond(link);
}

static int call_finish(struct cxi_link *link, const struct arguments *arguments)
{
	return fabric_finish(link, arguments->deadline);
}

static int call_close(struct cxi_link *link, const struct arguments *arguments)
{
	(void)arguments;
	fabric_close_endpoint(fabric_of(link));
	return 0;
}

static int connect_peer(struct cxi_link *link, const struct cxi_address *peer, struct deadline deadline)
{
	return guarded(link, call_connect, &(struct arguments){.in = peer, .deadline = deadline});
}

static int fabric_ops_prepare(struct cxi_link *link, const struct cxi_run *run)
{
	atomic_store(&fabric_of(link)->guard.limit_ms, run->standstill_ms);
	return guarded(link, call_prepare, &(struct arguments){.in = run});
}

static int fabric_ops_start(struct cxi_link *link)
{
	return guarded(link, call_start, NULL);
}

static int poll_progress(struct cxi_link *link, struct cxi_progress *progress)
{
	return guarded(link, call_poll, &(struct arguments){.progress = progress});
}

static int respond(struct cxi_link *link)
{
	return guarded(link, call_respond, NULL);
}

static int fabric_ops_finish(struct cxi_link *link, struct deadline deadline)
{
	return guarded(link, call_finish, &(struct arguments){.deadline = deadline});
}

/* An endpoint that can't be closed ends with the process; its file does not. */
static void close_all(struct cxi_link *link)
{
	struct fabric *fabric = fabric_of(link);

	if (guarded(link, call_close, NULL) && fabric->has_name)
		fabric_drop_name(fabric);
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
