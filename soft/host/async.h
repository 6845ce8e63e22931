/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asynchronous events, for programs that call ibv_get_async_event(). See async.c. */
#pragma once

#include "host/core.h"

struct soft_async_entry;

struct soft_core_context {
	pthread_mutex_t lock;
	struct soft_async_entry *first, **last;
	int async_fd;
};

/* Of an event: what libibverbs' structures have for it. context NULL: it is of a port or the device. */
struct async_object {
	struct ibv_context *context;
	pthread_mutex_t *mutex;
	pthread_cond_t *cond;
	uint32_t *acknowledged; /* number of events */
};
struct async_object soft_async_object(const struct ibv_async_event *event);

int soft_async_open(struct soft_core_context *core);
void soft_async_close(struct soft_core_context *core);

void soft_async_raise_qp(struct core_qp *qp, enum ibv_event_type type);
void soft_async_raise_cq(struct core_cq *cq, enum ibv_event_type type);
void soft_async_raise_srq(struct core_srq *srq, enum ibv_event_type type);
void soft_async_raise_port(struct ibv_context *context, enum ibv_event_type type);
void soft_async_forget_qp(struct core_qp *qp); /* waits until events that were read are acknowledged */
void soft_async_forget_cq(struct core_cq *cq);
void soft_async_forget_srq(struct core_srq *srq);
