/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects of the libcxi transport. Created in three steps by libcxi_open.c (device, service, VNI),
 * libcxi_resources.c (queues, memory, portals) and libcxi_connect.c (the peer), and used by libcxi_ops.c, and by
 * libcxi_progress.c, which handles the NIC's events.
 *
 * Sends are puts to portal index 0, where one persistent list entry covers the receive buffer; a response is an empty
 * put to index 1. Each has its own entry and counters, so that they are never confused, in whichever order they arrive.
 * HPE's program puts both to index 0 (plan.one_index), where one counter counts them: in a test of both directions a
 * response is only sent after this side's own list, so that list and response alternate.
 * A rendezvous put only announces its data; the target's NIC, or the target itself, gets it from the portal index that
 * the device reserves for that, where a list entry covers the transmit buffer.
 */
#pragma once

#include "cxi/libcxi/libcxi_rings.h"
#include "cxi/ops.h"

/* Alternatives without libcxi, following "or ". */
#define LIBCXI_SONAME "libcxi.so.1"
#define LIBCXI_ELSE   "send with libfabric: --provider tcp, shm or another"

/* libcxi, opened at run time: its functions, under their own names. At least one allocates a communication profile. */
struct libcxi {
#define LIBCXI_MEMBER(symbol, result, parameters) result(*symbol) parameters;
	LIBCXI_FUNCTIONS(LIBCXI_MEMBER)
	LIBCXI_OPTIONAL_FUNCTIONS(LIBCXI_MEMBER)
#undef LIBCXI_MEMBER
};

/* Portal indices in the domain. */
#define DATA_INDEX     0
#define RESPONSE_INDEX 1

enum libcxi_count {
	COUNT_ACKS,	     /* for this side's sends */
	COUNT_GETS,	     /* by the peer, for this side's rendezvous data */
	COUNT_PUTS,	     /* to the receive buffer */
	COUNT_RESPONSES,     /* from the peer */
	COUNT_RESPONSE_ACKS, /* for this side's responses */
	COUNTS,
};

struct libcxi_count_state {
	struct libcxi_counter *counter; /* NULL: not needed */
	uint64_t threshold;		/* the last one for which an event was requested */
};

/* A portal index of the domain, and its portal. */
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
	const uint8_t *addr; /* for immediate data, only in host memory */
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
	bool idc; /* plan.idc, if the CPU can read the transmit buffer */
	struct libcxi_profile *profile;
	struct libcxi_ring initiator, target;
	struct libcxi_region tx, rx;
	struct libcxi_queue *transmit, *trigger, *portals; /* for transfers, for counters, for portals and entries */
	struct libcxi_count_state counts[COUNTS];
	struct libcxi_entry data, response, source;

	struct libcxi_peer peer;
	struct cassini_dma send, get, answer; /* with all members that do not change */
	struct cassini_idc send_idc;
	unsigned linked, enabled; /* number of LINK and STATE_CHANGE events */

	struct cxi_run run;
	struct cxi_progress progress;
	uint32_t next;		 /* next send of the current list to be written; list: none */
	uint64_t next_slot;	 /* its slot */
	bool acked, fetched;	 /* of the current list */
	uint32_t replies;	 /* for the current incoming rendezvous list */
	uint32_t unsent_answers; /* responses for which the queue had no room, or whose time has not come */
	uint64_t answered;	 /* responses in the queue since prepare() */
	bool awaits_response;	 /* one index: what arrives next is a response, not a list */
	bool has_deferred;	 /* likewise, a get */
	struct libcxi_event deferred;
};

static inline struct libcxi_link *libcxi_of(const struct cxi_link *link)
{
	return link->private;
}

/* --- libcxi_library.c --- */
/*
 * Loads libcxi.so.1 with the dynamic linker's search path, and stores its name in link->library. 0, or -errno with
 * link->fault, which says what is missing and what works without it.
 */
int libcxi_load(struct libcxi *lib, struct cxi_link *link);

/*
 * For a library call that failed: sets link->fault to what, ": " and the error, followed by the advice. result: with
 * libcxi's sign. Returns -errno.
 */
int libcxi_refused(struct cxi_link *link, int result, const char *advice, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

/* Uses the newer function if there is one. 0 or -errno, without changing link->fault. */
int libcxi_alloc_profile(const struct libcxi *lib, struct libcxi_interface *interface, unsigned vni,
			 struct libcxi_profile **profile);

/*
 * Does this look like the information of NIC id, in the layout that we know? If not, -EPROTO with link->fault: the
 * library's structures have changed, so its data must not be trusted.
 */
int libcxi_check_device(struct cxi_link *link, const struct libcxi_device_info *info, unsigned id);

/* --- the transport, in the order of the calls --- */
/* For struct cxi_ops: opens everything up to the domain. */
int libcxi_open(struct cxi_link *link, const struct cxi_place *place);
void libcxi_close(struct cxi_link *link);

/* Creates queues, counters, portals and memory; portals are not enabled yet. */
int libcxi_map(struct cxi_link *link, const struct cxi_plan *plan, const struct buffer *tx, const struct buffer *rx);
void libcxi_unmap(struct libcxi_link *own);

/* Sets the link's address, of which the peer is told. */
void libcxi_fill_address(struct libcxi_link *own);
/* Uses the peer's address, enables the portals and prepares the commands. */
int libcxi_connect(struct cxi_link *link, const struct cxi_address *address);

/* --- libcxi_progress.c: the NIC's events; 0 or -errno --- */
/*
 * Match bits of rendezvous puts, those of HPE's program: the NIC keeps the highest 16 for its get, and stores the
 * rendezvous id in the lowest.
 */
#define RENDEZVOUS_MATCH 0x123456789abcdef0ULL
#define KEPT_MATCH	 0xffff000000000000ULL

/* Requests an event when the counter has grown by count since the last one. The caller rings the doorbell. */
int libcxi_arm(struct libcxi_link *own, enum libcxi_count which, uint32_t count);
/* Handles all available events, and gets the data that the peer has announced. */
int libcxi_go_on(struct libcxi_link *own);
/* Waits until *count has reached wanted. */
int libcxi_await(struct libcxi_link *own, const unsigned *count, unsigned wanted, const char *what);
