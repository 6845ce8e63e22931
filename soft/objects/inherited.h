/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A forked child's use of what its parent has opened. See inherited.c. */
#pragma once

#include <pthread.h>

#include "soft.h"

void soft_contexts_add(struct soft_context *context);
void soft_contexts_remove(const struct soft_context *context);
void soft_contexts_inherit(void); /* in the child */
extern pthread_mutex_t soft_contexts_lock __attribute__((visibility("hidden")));
