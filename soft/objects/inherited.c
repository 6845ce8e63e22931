// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes a forked child's use of its parent's objects fail with an error, because a program's destructors may run there.
 * Called by context.c, which opens devices, and by process.c when the process forks.
 */
#include "config.h"

#include "objects/objects.h"

pthread_mutex_t soft_contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct soft_context *open_contexts;

void soft_contexts_add(struct soft_context *context)
{
	pthread_mutex_lock(&soft_contexts_lock);
	context->next = open_contexts;
	open_contexts = context;
	pthread_mutex_unlock(&soft_contexts_lock);
}

void soft_contexts_remove(const struct soft_context *context)
{
	struct soft_context **link = &open_contexts;

	pthread_mutex_lock(&soft_contexts_lock);
	while (*link != context)
		link = &(*link)->next;
	*link = context->next;
	pthread_mutex_unlock(&soft_contexts_lock);
}

/* --- verbs that are inline functions of verbs.h --- */

/* Reports the use of an object; not its destruction, which may be an exit handler's. */
static void inherited_report(void)
{
	static int was_reported;

	if (__atomic_exchange_n(&was_reported, 1, __ATOMIC_RELAXED))
		return;
	soft_error("a device that was opened before fork() belongs to the parent: open it in the child");
}

static int inherited_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	(void)cq;
	(void)count;
	(void)wc;
	inherited_report();
	errno = EOPNOTSUPP;
	return -EOPNOTSUPP; /* negative: the reader of an extended queue converts it to an errno */
}

#define INHERITED_POST(name, queue, request)                                                                           \
	static int inherited_##name(queue *object, request *wr, request **bad_wr)                                      \
	{                                                                                                              \
		(void)object;                                                                                          \
		inherited_report();                                                                                    \
		*bad_wr = wr;                                                                                          \
		return EOPNOTSUPP;                                                                                     \
	}

INHERITED_POST(post_send, struct ibv_qp, struct ibv_send_wr)
INHERITED_POST(post_recv, struct ibv_qp, struct ibv_recv_wr)
INHERITED_POST(post_srq_recv, struct ibv_srq, struct ibv_recv_wr)

/* Those that say nothing. */
#define INHERITED(name, argument, ...)                                                                                 \
	static int inherited_##name(argument object, ##__VA_ARGS__)                                                    \
	{                                                                                                              \
		(void)object;                                                                                          \
		return EOPNOTSUPP;                                                                                     \
	}

INHERITED(req_notify_cq, struct ibv_cq *, __attribute__((unused)) int solicited_only)
INHERITED(dealloc_mw, struct ibv_mw *)
INHERITED(bind_mw, struct ibv_qp *, __attribute__((unused)) struct ibv_mw *mw,
	  __attribute__((unused)) struct ibv_mw_bind *bind)
INHERITED(close_xrcd, struct ibv_xrcd *)

/*
 * Verbs that are library functions check is_inherited (export.c). Of the others, verbs.h checks most for NULL, but not
 * all. Device attributes are still reported, and device memory still works, because each process has its own.
 */
static void inherit(struct soft_context *context)
{
	struct verbs_context *verbs = &context->verbs;
	const struct verbs_context before = *verbs;

	context->is_inherited = true;
	memset(verbs, 0, offsetof(struct verbs_context, sz));
	verbs->query_port = before.query_port;
	verbs->query_device_ex = before.query_device_ex;
	verbs->query_rt_values = before.query_rt_values;
	verbs->alloc_dm = before.alloc_dm;
	verbs->free_dm = before.free_dm;
	verbs->close_xrcd = inherited_close_xrcd;
	verbs->context.ops = (struct ibv_context_ops){
		.poll_cq = inherited_poll_cq,
		.req_notify_cq = inherited_req_notify_cq,
		.post_send = inherited_post_send,
		.post_recv = inherited_post_recv,
		.post_srq_recv = inherited_post_srq_recv,
		.dealloc_mw = inherited_dealloc_mw,
		.bind_mw = inherited_bind_mw,
	};
}

void soft_contexts_inherit(void)
{
	for (struct soft_context *context = open_contexts; context; context = context->next)
		inherit(context);
	open_contexts = NULL;
}
