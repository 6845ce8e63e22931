/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* This process on the host's fabric, and what it shares with its parent. */
#pragma once

#include "host/core.h"
#include "host/service.h"

/* Attaches it, and detaches it: counted, by context.c. 0 or a negative errno, reported. */
int soft_process_get(void);
void soft_process_put(void);

/* inherited.c: a forked child's use of what its parent has opened. */
void soft_contexts_add(struct soft_context *context);
void soft_contexts_remove(const struct soft_context *context);
void soft_contexts_inherit(void); /* in the child */
extern pthread_mutex_t soft_contexts_lock SOFT_HIDDEN;

extern const struct service_ops soft_remote_ops SOFT_HIDDEN; /* remote.c: for the service thread */
