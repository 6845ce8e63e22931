/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What has the device reported by itself? An asynchronous event says why requests failed where their completions
 * only say that they did: a link that went down is "transport retry counter exceeded" there.
 */
#ifndef VERBS_ASYNC_EVENT_H
#define VERBS_ASYNC_EVENT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

struct device;

/* What came since async_event_begin(). */
struct async_events {
	struct port_events {
		bool port_down; /* of the port of the test; it may be up again */
		bool port_up;	/* after that */
		bool device_fatal;
		bool cq_error;
		bool lid_changed;
		bool gid_changed; /* the table; perhaps another entry of it */
	} ports[2];		  /* of dual port: of the second one, or the second device, too */
	bool device_fatal;	  /* of either */
	char faults[256];	  /* all faults, "local access violation work queue error (QP 0x000012), port error" */
	char of_qp[128];	  /* the first that a queue pair had, in the same words; "" none */
};

/* Of dual port: of both. Forgets what was reported so far, to a program or a client before. */
void async_event_begin(struct async_events *log, const struct device *device);

/* Adds all events that wait, without waiting for one. */
void async_event_take(struct async_events *log, const struct device *device);

/*
 * What happened to the device or its port, which explains all that fails after it, and what to do: "port 1 of mlx5_0
 * went down during the test: ..."; "" nothing did. Returns text.
 */
const char *async_event_cause(const struct async_events *log, const struct device *first, char *text, size_t size);

#endif
