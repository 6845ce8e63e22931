/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The asynchronous events of a device. They say why requests failed if the completions do not: with a link that went
 * down, the completion only says "transport retry counter exceeded".
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

/* Events since async_event_begin(). */
struct async_events {
	struct port_events {
		uint64_t seen; /* a bit for each enum ibv_event_type */
		bool is_up;    /* again, after it went down */
	} ports[2];	       /* dual port: also the second port, or the second device */
	bool device_fatal;     /* of either device */
	char faults[256];      /* all faults, "local access violation work queue error (QP 0x000012), port error" */
	char of_qp[128];       /* the first event of a QP, in the same words; "" if none */
};

/* With dual port, on both devices. Discards earlier events, which concern another program or client. */
void async_event_begin(struct async_events *log, const struct device *device);

/* Adds all pending events. Does not block. */
void async_event_take(struct async_events *log, const struct device *device);

/*
 * The event of the device or its port that explains all later failures, and what to do: "port 1 of mlx5_0 went down
 * during the test: ..."; "" if there was none. Returns text.
 */
const char *async_event_cause(const struct async_events *log, const struct device *first, char *text, size_t size);
