/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does rdma_cm say, and what is to be done about it? For cm_connect.c (queue pairs, -R),
 * comm/rdma_cm.c (the side channel, -z) and cmtime. librdmacm asks the kernel through /dev/infiniband/rdma_cm,
 * which has answers for every kind of device but the software one.
 */
#ifndef VERBS_CM_H
#define VERBS_CM_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>

#include "util/deadline.h"

/* So often a connection is tried where trying again may help, with a pause in between. */
#define CM_ATTEMPTS   10
#define CM_PAUSE_MS   100
#define CM_RESOLVE_MS 2000 /* for one look at an address or a path */

/* Is the kernel's rdma_cm there for programs? Loads nothing, unlike the opening of a channel. */
bool cm_present(void);
/*
 * Do rdma_cm's ports and TCP's come from one space? A connection of iWARP is one of TCP: a device of this host either
 * binds a socket of the kernel's to the port (siw), or takes what comes for it before the host's TCP sees it.
 */
bool cm_takes_tcp(void);
/* One that does not block. 0 or -errno, not reported. */
int cm_open_channel(struct rdma_event_channel **channel);
/* What that error means, and what to load. option: that needs it. */
void cm_report_missing(int error, const char *option);

struct device; /* verbs/perftest_resources.h */
struct verbs_config;
struct addresses;

/*
 * An address of the device's port, from its GID table, by which rdma_cm takes this device: of GID wanted_index, or
 * the first one with -1. Link-local ones are left out, and what is no RoCE v2 has none: NULL. Returns text.
 */
const char *cm_source_ip(const struct device *device, int wanted_index, bool ipv6, char *text, size_t size);

/*
 * device_choose_address() once both have met, or with -R: the device is the one that the side channel came by, with the
 * GID of its address. Another context is opened where that is another device; -d or -i that say otherwise are an error.
 * 0 or -errno, reported.
 */
int cm_choose_address(struct device *device, const struct verbs_config *config, const struct addresses *met);

/* The status of a rejection: the other side takes the request for that of an old connection. */
#define CM_REJECTED_STALE 10

/* What an event means for an attempt to connect. */
enum cm_verdict {
	CM_GOES_ON, /* the next step of the attempt */
	CM_AGAIN,   /* it failed, but the next one may do better */
	CM_FAILED,  /* it failed, and the next one would */
};

struct cm_reason {
	enum cm_verdict verdict;
	int error;	   /* -errno; 0 with CM_GOES_ON */
	const char *words; /* why, and where it helps what to do; NULL with CM_GOES_ON */
};

/* status: of the event, 0 or -errno, or the reason for a rejection as the InfiniBand specification numbers them. */
struct cm_reason cm_judge(enum rdma_cm_event_type event, int status);
/* The same of a rejection; words NULL: no reason that is known. iWARP devices give -errno in place of a reason. */
struct cm_reason cm_judge_rejection(int status);
/* The same of a call that failed at once, with -errno. */
struct cm_reason cm_judge_call(int error);

/*
 * Behind the words that no program listens: a software device looks among the programs of its user on this host alone.
 * "" for others.
 */
const char *cm_reach_text(struct ibv_context *context);

/* With the attributes of rdma_init_qp_attr() and their mask, as far as a program may set them. As ibv_modify_qp(). */
int cm_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);

/* The next event: 0, and the caller acknowledges it; -ETIMEDOUT, -EINTR, or another -errno. Nothing is reported. */
int cm_wait_event(struct rdma_event_channel *channel, struct deadline deadline, struct rdma_cm_event **event);
/* The same without a wait: -EAGAIN when there is none. */
int cm_get_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);

#endif
