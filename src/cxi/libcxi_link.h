/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does the libcxi transport own? Made in three steps, libcxi_open.c (device, service, VNI), libcxi_resources.c
 * (queues, memory, portals) and libcxi_connect.c (the peer), used by libcxi_ops.c, with libcxi_progress.c for what the
 * NIC reports.
 *
 * Sends are puts into portal index 0, where one persistent list entry spans the receive buffer; a response is a put
 * without bytes into index 1. Each of the two has its own entry and counters, so that neither can be taken for the
 * other in whichever order they come. A rendezvous put announces its bytes only; the target's NIC, or the target
 * itself, gets them from the portal index that the device reserves for it, where a list entry spans the transmit
 * buffer.
 */
#ifndef CXI_LIBCXI_LINK_H
#define CXI_LIBCXI_LINK_H

#include "cxi/libcxi_events.h"
#include "cxi/libcxi_library.h"
#include "cxi/libcxi_queue.h"
#include "cxi/ops.h"

/* Portal indices in the domain. */
#define DATA_INDEX     0
#define RESPONSE_INDEX 1

enum libcxi_count {
	COUNT_ACKS,	     /* of this side's sends */
	COUNT_GETS,	     /* by the peer, of this side's rendezvous data */
	COUNT_PUTS,	     /* into the receive buffer */
	COUNT_RESPONSES,     /* of the peer */
	COUNT_RESPONSE_ACKS, /* of this side's responses */
	COUNTS,
};

struct libcxi_count_state {
	struct libcxi_counter *counter; /* NULL: not needed */
	uint64_t threshold;		/* the newest that an event was asked for */
};

/* A portal index of the domain, and what is behind it. */
struct libcxi_entry {
	struct libcxi_portal *portal; /* NULL: not needed */
	struct libcxi_portal_map *map;
};

/* An event queue and its memory. */
struct libcxi_ring {
	struct libcxi_event_queue *queue;
	void *buffer;
	size_t bytes;
	struct libcxi_memory *memory;
};

struct libcxi_region {
	struct libcxi_memory *memory;
	uint64_t iova; /* of the buffer's first byte */
	size_t bytes;
	const uint8_t *addr; /* for immediate data; memory of this host then */
};

struct libcxi_peer {
	uint32_t nic, pid;
	uint32_t rendezvous_index;
};

struct libcxi_link {
	struct cxi_link *link; /* for faults */
	struct libcxi lib;
	unsigned service, vni;
	bool is_server;
	struct libcxi_device *device;
	struct libcxi_interface *interface;
	struct libcxi_domain *domain;

	struct cxi_plan plan;
	bool idc; /* as the plan has it, where the CPU can read the transmit buffer */
	struct libcxi_profile *profile;
	struct libcxi_ring initiator, target;
	struct libcxi_region tx, rx;
	struct libcxi_queue *transmit, *trigger, *portals; /* commands: transfers, counters, portals and entries */
	struct libcxi_count_state counts[COUNTS];
	struct libcxi_entry data, response, source;

	struct libcxi_peer peer;
	struct cassini_dma send, get, answer; /* all but what differs from one to the next */
	struct cassini_idc send_idc;
	unsigned linked, enabled; /* LINK and STATE_CHANGE events so far */

	struct cxi_run run;
	struct cxi_progress progress;
	uint32_t next;		 /* send of the list under way that is to be written next; list: none */
	uint64_t next_slot;	 /* its place */
	bool acked, fetched;	 /* the list under way */
	uint32_t replies;	 /* of the list that comes in by rendezvous */
	uint32_t unsent_answers; /* responses that the queue had no room for */
	bool has_deferred;	 /* a get, likewise */
	struct libcxi_event deferred;
};

/* Of a library call that failed: link->fault "what: error", and the advice below. result: with libcxi's sign. Returns
 * -errno. */
int libcxi_refused(struct libcxi_link *own, int result, const char *what, const char *advice);

/* Everything up to the domain; what fails leaves the rest to libcxi_close(). 0 or -errno. */
int libcxi_open(struct libcxi_link *own, const struct cxi_place *place);
void libcxi_close(struct libcxi_link *own);

/* Queues, counters, portals and memory by own->plan; the portals are not enabled yet. 0 or -errno. */
int libcxi_map(struct libcxi_link *own, const struct buffer *tx, const struct buffer *rx);
void libcxi_unmap(struct libcxi_link *own);

#endif
