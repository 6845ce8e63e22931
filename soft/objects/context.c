// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The core's part of an open device. Called by the interface. */

#include "data/data.h"
#include "host/async.h"
#include "host/fault.h"
#include "host/profile.h"
#include "host/threads.h"
#include "objects/objects.h"

int soft_context_init(struct soft_context *context)
{
	SOFT_UNCANCELLED;
	struct ibv_context *public = &context->verbs.context;
	struct soft_core_context *core = calloc(1, sizeof(*core));
	int err;

	if (!core)
		return ENOMEM;
	err = soft_process_get();
	if (err)
		goto err_free;
	err = soft_fault_strikes(FAULT_OPEN_DEVICE) ? -ENOMEM : soft_async_open(core);
	if (err)
		goto err_put;
	context->core = core;
	public->async_fd = core->async_fd;
	public->num_comp_vectors = SOFT_COMP_VECTORS;
	public->ops.poll_cq = soft_self.is_null ? soft_null_poll_cq : soft_poll_cq;
	public->ops.req_notify_cq = soft_req_notify_cq;
	public->ops.post_send = soft_self.is_null ? soft_null_post_send : soft_post_send;
	public->ops.post_recv = soft_self.is_null ? soft_null_post_recv : soft_post_recv;
	public->ops.post_srq_recv = soft_post_srq_recv;
	if (*soft_profile()->name) {
		public->ops.post_send = soft_profile_post_send;
		public->ops.post_recv = soft_profile_post_recv;
	}
	soft_fault_install(&public->ops);
	soft_contexts_add(context);
	return 0;

err_put:
	soft_process_put();
err_free:
	free(core);
	return -err;
}

void soft_context_fini(struct soft_context *context)
{
	SOFT_UNCANCELLED;
	if (!context->core)
		return;
	soft_contexts_remove(context);
	soft_async_close(context->core);
	soft_process_put();
	free(context->core);
	context->core = NULL;
}
