// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the device's asynchronous events, and explains what they mean for a test. See async_event.h. */
#include "verbs/device/async_event.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "util/terminal.h"
#include "verbs/device/device.h"
#include "verbs/device/gid_form.h"

#define TAKEN_AT_MOST 256 /* so that a device that reports events endlessly does not block the test */

static bool is_of_qp(enum ibv_event_type type)
{
	return type == IBV_EVENT_QP_FATAL || type == IBV_EVENT_QP_REQ_ERR || type == IBV_EVENT_QP_ACCESS_ERR ||
	       type == IBV_EVENT_PATH_MIG_ERR;
}

static bool is_of_port(enum ibv_event_type type)
{
	return type == IBV_EVENT_PORT_ERR || type == IBV_EVENT_PORT_ACTIVE || type == IBV_EVENT_LID_CHANGE ||
	       type == IBV_EVENT_PKEY_CHANGE || type == IBV_EVENT_GID_CHANGE;
}

/* Faults, as opposed to ordinary QP state changes. */
static bool is_fault(enum ibv_event_type type)
{
	return is_of_qp(type) || (is_of_port(type) && type != IBV_EVENT_PORT_ACTIVE) || type == IBV_EVENT_CQ_ERR ||
	       type == IBV_EVENT_SRQ_ERR || type == IBV_EVENT_DEVICE_FATAL || type == IBV_EVENT_WQ_FATAL;
}

static void note_fault(struct async_events *log, const struct ibv_async_event *event)
{
	char words[96];

	if (is_of_qp(event->event_type))
		snprintf(words, sizeof(words), "%.60s (QP 0x%06x)", ibv_event_type_str(event->event_type),
			 event->element.qp->qp_num);
	else
		snprintf(words, sizeof(words), "%.60s", ibv_event_type_str(event->event_type));
	if (is_of_qp(event->event_type) && !log->of_qp[0])
		snprintf(log->of_qp, sizeof(log->of_qp), "%s", words);
	text_list_add(log->faults, sizeof(log->faults), words);
}

/*
 * To which port of the test does an event belong, 0 or 1? A port event has the port's number; a device event counts for
 * the first of our ports on that device. -1: a port that the test does not use.
 */
static int port_of_event(const struct device *first, const struct ibv_context *context,
			 const struct ibv_async_event *event)
{
	const struct device *second = first->second;
	const unsigned number = is_of_port(event->event_type) ? (unsigned)event->element.port_num : 0;

	if (context == first->context && (!number || number == first->port))
		return 0;
	return second && context == second->context && (!number || number == second->port) ? 1 : -1;
}

static void async_event_note(struct async_events *log, const struct ibv_async_event *event, const struct device *first,
			     const struct ibv_context *context)
{
	const int number = port_of_event(first, context, event);
	struct port_events *port = &log->ports[number > 0];

	if (number < 0)
		return;
	if (is_fault(event->event_type))
		note_fault(log, event);
	if (event->event_type == IBV_EVENT_PORT_ERR || event->event_type == IBV_EVENT_PORT_ACTIVE)
		port->is_up = event->event_type == IBV_EVENT_PORT_ACTIVE;
	log->device_fatal |= event->event_type == IBV_EVENT_DEVICE_FATAL;
	if ((unsigned)event->event_type < 64)
		port->seen |= 1ULL << event->event_type;
}

static void take_of_context(struct async_events *log, const struct device *first, struct ibv_context *context)
{
	struct pollfd pollfd = {.fd = context->async_fd, .events = POLLIN};
	struct ibv_async_event event;

	for (int i = 0; i < TAKEN_AT_MOST && poll(&pollfd, 1, 0) > 0; i++) {
		if (ibv_get_async_event(context, &event))
			break;
		async_event_note(log, &event, first, context);
		ibv_ack_async_event(&event);
	}
}

void async_event_take(struct async_events *log, const struct device *device)
{
	take_of_context(log, device, device->context);
	if (device->second && device->second->context != device->context)
		take_of_context(log, device, device->second->context);
}

void async_event_begin(struct async_events *log, const struct device *device)
{
	async_event_take(log, device);
	*log = (struct async_events){0};
}

/* Has the GID of the QPs disappeared from the table? */
static bool has_lost_gid(const struct device *device)
{
	union ibv_gid now;

	return device->gid_index >= 0 && (ibv_query_gid(device->context, device->port, device->gid_index, &now) ||
					  memcmp(now.raw, device->gid.raw, sizeof(now.raw)) != 0);
}

/* Subnet managers also send this event if the LID has not changed. */
static bool has_lost_lid(const struct device *device)
{
	struct ibv_port_attr now;

	return ibv_query_port(device->context, device->port, &now) || now.lid != device->port_attr.lid;
}

static bool has_seen(const struct port_events *port, enum ibv_event_type type)
{
	return port->seen >> type & 1;
}

/* "" if nothing happened. */
static void port_cause(const struct port_events *port, const struct device *device, char *text, size_t size)
{
	char gid[64];

	if (has_seen(port, IBV_EVENT_DEVICE_FATAL))
		snprintf(text, size, "%s failed during the test (device fatal error): see dmesg, and reset the device",
			 device->name);
	else if (has_seen(port, IBV_EVENT_PORT_ERR))
		snprintf(text, size,
			 "port %u of %s went down during the test%s: check its cable, the switch port and dmesg",
			 device->port, device->name, port->is_up ? " and came up again" : "");
	else if (has_seen(port, IBV_EVENT_LID_CHANGE) && has_lost_lid(device))
		snprintf(text, size,
			 "port %u of %s got another LID from the subnet manager during the test: run it again",
			 device->port, device->name);
	else if (has_seen(port, IBV_EVENT_GID_CHANGE) && has_lost_gid(device))
		snprintf(text, size,
			 "port %u of %s lost GID %d %s during the test: has its network interface lost an address?",
			 device->port, device->name, device->gid_index, gid_text(&device->gid, gid, sizeof(gid)));
	else if (has_seen(port, IBV_EVENT_CQ_ERR))
		snprintf(text, size,
			 "a completion queue of %s failed during the test: it overran, or the device is at "
			 "fault; see dmesg",
			 device->name);
}

const char *async_event_cause(const struct async_events *log, const struct device *first, char *text, size_t size)
{
	size_t used;

	text[0] = '\0';
	port_cause(&log->ports[0], first, text, size);
	used = strlen(text);
	if (!first->second)
		return text;
	if (used)
		used += (size_t)snprintf(text + used, size - used, "; ");
	if (used >= size)
		return text;
	port_cause(&log->ports[1], first->second, text + used, size - used);
	if (used && !text[used])
		text[used - 2] = '\0';
	return text;
}
