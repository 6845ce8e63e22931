// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the device's asynchronous events. See event.h. */
#include "verbs/event.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TAKEN_AT_MOST 256 /* a device that reports without end is not waited for */

static bool is_of_qp(enum ibv_event_type type)
{
	return type == IBV_EVENT_QP_FATAL || type == IBV_EVENT_QP_REQ_ERR || type == IBV_EVENT_QP_ACCESS_ERR ||
	       type == IBV_EVENT_PATH_MIG_ERR;
}

/* A fault, and not one of the steps of a queue pair's life. */
static bool is_fault(enum ibv_event_type type)
{
	return is_of_qp(type) || type == IBV_EVENT_CQ_ERR || type == IBV_EVENT_DEVICE_FATAL ||
	       type == IBV_EVENT_PORT_ERR || type == IBV_EVENT_LID_CHANGE || type == IBV_EVENT_PKEY_CHANGE ||
	       type == IBV_EVENT_GID_CHANGE || type == IBV_EVENT_WQ_FATAL;
}

const char *event_take(struct ibv_context *context, char *text, size_t size)
{
	struct pollfd pollfd = {.fd = context->async_fd, .events = POLLIN};
	struct ibv_async_event event;
	size_t used = 0;

	if (text)
		text[0] = '\0';
	for (int i = 0; i < TAKEN_AT_MOST && poll(&pollfd, 1, 0) > 0; i++) {
		char qp[32] = "";

		if (ibv_get_async_event(context, &event))
			break;
		if (is_of_qp(event.event_type))
			snprintf(qp, sizeof(qp), " (QP 0x%06x)", event.element.qp->qp_num);
		if (text && is_fault(event.event_type) && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? ", " : "",
						 ibv_event_type_str(event.event_type), qp);
		ibv_ack_async_event(&event);
	}
	return text;
}
