/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has the device reported by itself? Asynchronous events say of a responder what no completion does. */
#ifndef VERBS_EVENT_H
#define VERBS_EVENT_H

#include <infiniband/verbs.h>
#include <stddef.h>

/*
 * Takes all events that wait, without waiting for one. text: those that say of a fault, "local access violation
 * work queue error (QP 0x000012), port error"; "" without any; NULL: they are of no interest. Returns text.
 */
const char *event_take(struct ibv_context *context, char *text, size_t size);

#endif
