/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma_cm's events and errors: what they mean and what to do about them. Called by cm_connect.c (QPs, -R),
 * comm/rdma_cm.c (the side channel, -z) and cmtime. librdmacm talks to the kernel through /dev/infiniband/rdma_cm,
 * which supports every kind of device except the software device.
 */
#pragma once

#include <rdma/rdma_cma.h>
#include <stdbool.h>

#include "util/deadline.h"

/* attempts to connect if a retry may help, with a pause in between */
#define CM_ATTEMPTS   10
#define CM_PAUSE_MS   100
#define CM_BACKLOG    1024 /* pending requests: the kernel's limit for a listener */
#define CM_RESOLVE_MS 2000 /* for resolving an address or a route */

/* Does the kernel offer rdma_cm to programs? Unlike opening an event channel, this loads no module. */
bool cm_present(void);
/*
 * Do rdma_cm and TCP share one port space? An iWARP connection is a TCP connection: a device of this host either binds
 * a kernel socket to the port (siw), or receives the segments before the host's TCP does.
 */
bool cm_takes_tcp(void);
/* Opens a nonblocking event channel. 0 or -errno, not reported. */
int cm_open_channel(struct rdma_event_channel **channel);
/* Reports what the error means, and which module to load. option: the option that needs rdma_cm. */
void cm_report_missing(int error, const char *option);

/* Does rdma_bind_addr() accept the address, and has a device it? */
bool cm_owns_address(const struct sockaddr_storage *address);

struct device; /* verbs/perftest_resources.h */
struct verbs_config;
struct addresses;

/*
 * An address of the peer's family in the GID table of the device's port, which makes rdma_cm choose this device: that
 * of GID wanted_index, or with -1 the one from which packets to the peer start, else one in its subnet, else the first.
 * Link-local addresses are skipped. NULL if there is none; only RoCE v2 has any. Returns text.
 */
const char *cm_source_ip(const struct device *device, int wanted_index, const struct sockaddr *peer, char *text,
			 size_t size);

/*
 * An address of this host and family (AF_UNSPEC: IPv4 if there is one, else IPv6) by which rdma_cm finds the device's
 * port, as no loopback address does; NULL: there is none. Returns text.
 */
const char *cm_own_ip(const struct device *device, int family, char *text, size_t size);
/*
 * The host to connect to with rdma_cm: the server, or that if its name is one of loopback addresses, of this family
 * (below 0: it is not).
 */
const char *cm_own_host(const struct device *device, const char *server, int family, char *text, size_t size);

/*
 * device_choose_address() once the side channel is connected, or with -R: uses the device on which the side channel
 * arrived, and the GID of its address. If that is another device, its context is opened instead, and the other stays
 * open, since the caller has copies of it; it is an error if -d or -i contradict it. 0 or -errno, reported.
 */
int cm_choose_address(struct device *device, const struct verbs_config *config, const struct addresses *met);

/* Status of a rejection: the peer considers the request part of an old connection. */
#define CM_REJECTED_STALE 10

/* What an event means for a connection attempt. */
enum cm_verdict {
	CM_GOES_ON, /* the attempt continues */
	CM_AGAIN,   /* it failed, but a retry may succeed */
	CM_FAILED,  /* it failed, and a retry would, too */
};

struct cm_reason {
	enum cm_verdict verdict;
	int error;	   /* -errno; 0 with CM_GOES_ON */
	const char *words; /* the reason and, if useful, what to do; NULL with CM_GOES_ON */
};

/* status: of the event: 0 or -errno, or for a rejection the reason code of the InfiniBand specification. */
struct cm_reason cm_judge(enum rdma_cm_event_type event, int status);
/*
 * The same for a rejection; words is NULL if the reason is unknown. iWARP devices report -errno instead of a reason
 * code.
 */
struct cm_reason cm_judge_rejection(int status);
/* The same for a call that failed immediately, with -errno. */
struct cm_reason cm_judge_call(int error);

/*
 * Appended to the message that no program listens: a software device only reaches programs of the same user on this
 * host. "" for other devices.
 */
const char *cm_reach_text(struct ibv_context *context);

/* ibv_modify_qp() with the attributes and the mask of rdma_init_qp_attr(), limited to those that a program may set. */
int cm_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);

/* Waits for an event. 0, and the caller acknowledges it; -ETIMEDOUT, -EINTR, or another -errno. Reports nothing. */
int cm_wait_event(struct rdma_event_channel *channel, struct deadline deadline, struct rdma_cm_event **event);
/* The same without waiting: -EAGAIN if there is none. */
int cm_get_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);
