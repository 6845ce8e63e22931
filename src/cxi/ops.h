/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface of transports: libcxi (libcxi_ops.c), the default, and libfabric (fabric_lists.c, --provider). The
 * benchmark exchanges options and addresses, and is responsible for buffers, order, time and results; the transport for
 * work requests, events and memory registration.
 *
 * Order of calls, by one thread:
 *
 *	open                         before the sides connect: finds out what is missing on this host
 *	map, connect                 once, after the sides have agreed on the options
 *	prepare                      for each size, on both sides, followed by a barrier
 *	  start, poll, respond       for each list in either direction
 *	finish                       when nothing is in flight in either direction
 *	close                        in any state after open, even if that has failed
 *
 * All functions except close() return 0 or -errno with a sentence in link->fault, which says what and where, without a
 * full stop; the benchmark reports it. None waits for the peer without a limit: finish() has a deadline, the others
 * return immediately.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory.h"
#include "net/address.h"
#include "util/deadline.h"

#define CXI_FAULT_SIZE	 512
#define CXI_TEXT_SIZE	 160 /* an address, or a library and its version */
#define CXI_ADDRESS_SIZE 256 /* upper bound for a transport's address in bytes */

#define CXI_DEFAULT_DEVICE "cxi0"
#define CXI_MAX_LIST	   16382	 /* sends of a list, at least 1 */
#define CXI_MAX_SIZE	   4294967295ULL /* bytes of a send, at least 1 */
#define CXI_MTU		   2048		 /* bytes of payload in a packet of Portals */
#define CXI_IDC_MAX	   192		 /* bytes that an immediate data command carries */

struct cxi_ops;

/* An address on the side channel. The transport determines its form, and checks the peer's. */
struct cxi_address {
	uint16_t length; /* bytes, 1..CXI_ADDRESS_SIZE */
	uint8_t bytes[CXI_ADDRESS_SIZE];
};

/* A transport, open or not. The benchmark zeroes it and sets ops and abandon. */
struct cxi_link {
	const struct cxi_ops *ops;
	/* Ends the program, in a thread of the transport: a call of this one does not return, for the reason in fault.
	 */
	void (*abandon)(struct cxi_link *link, int error);
	void *private;		      /* owned by the transport, from open() to close(); NULL: not open */
	char fault[CXI_FAULT_SIZE];   /* why the last call failed */
	char library[CXI_TEXT_SIZE];  /* for the JSON document: "libcxi.so.1.7.0"; set by open() */
	char provider[CXI_TEXT_SIZE]; /* libfabric's own name for it: "tcp;ofi_rxm"; "" until map() */
	/* "cxi0"; of libfabric the domain: "eth0", "mlx5_0"; set by open(), or if there is a choice by map() */
	char domain[64];
	/* This side's: set by open(), as HPE's program asks for it before there are buffers, or by map(). */
	struct cxi_address address;
	/* Set by connect(): "NIC 0x12 PID 0 VNI 10", and for the peer "NIC 0x13 PID 0". */
	char own_text[CXI_TEXT_SIZE], peer_text[CXI_TEXT_SIZE];
	bool is_loopback; /* likewise: both sides are on the same NIC */
};

/* This side's own options. */
struct cxi_place {
	bool is_server;	   /* set by cxi.c, as limit_ms */
	char device[64];   /* "cxi0"; with a provider one of its domains; "": the default */
	uint32_t svc_id;   /* 1..; 0: the default service */
	uint16_t vni;	   /* from SLINGSHOT_VNIS; 0: the transport chooses */
	char provider[64]; /* of libfabric; "": libcxi */
	int64_t limit_ms;  /* of a library call while the sides connect */
};

/* What both sides have agreed on, for all sizes. */
struct cxi_plan {
	bool sends, receives; /* by this side; both if bidirectional */
	bool idc;	      /* immediate data commands up to CXI_IDC_MAX bytes */
	bool rendezvous;
	bool one_index;	   /* sends and responses go to the same portal index, as HPE's program has it */
	bool checks_data;  /* a list's data is checked as soon as it is counted */
	uint32_t list;	   /* sends in a list, 1..CXI_MAX_LIST */
	uint64_t max_size; /* of the largest send, bytes */
	int peer_fd;	   /* of the side channel, closed when the peer is gone; -1: none */
	/* local address of the side channel, which the peer can reach; "": unknown */
	char local_ip[ADDRESS_TEXT_SIZE];
};

/* One size. Send i of a list has the same offset in the sender's tx and the receiver's rx buffer. */
struct cxi_run {
	uint64_t size;	       /* bytes of a send, 1..plan.max_size */
	uint64_t granularity;  /* distance between sends, bytes; at least size */
	int64_t standstill_ms; /* limit without a completed list, and thus of a call */
	uint64_t slots;	       /* send i is at (i % slots) * granularity, which is within both buffers; 1..list */
};

/* Counts since prepare(). */
struct cxi_progress {
	uint64_t sent;	    /* lists of this side whose sends are all acknowledged */
	uint64_t received;  /* lists that have arrived completely, and can be read */
	uint64_t responses; /* responses received from the peer */
	uint64_t responded; /* responses of this side that are acknowledged */
};

struct cxi_ops {
	const char *name;   /* "libcxi", "libfabric" */
	const char *soname; /* of the library: "libcxi.so.1" */

	/*
	 * Loads the library and opens the device. If a library, device or provider is missing, returns -ENOENT, and the
	 * fault says which.
	 */
	int (*open)(struct cxi_link *link, const struct cxi_place *place);

	/*
	 * Creates queues and registers both buffers, which the benchmark frees after close(). The tx buffer of a side
	 * that does not send is one page, and likewise rx. Their ops->is_far marks device memory.
	 */
	int (*map)(struct cxi_link *link, const struct cxi_plan *plan, const struct buffer *tx,
		   const struct buffer *rx);
	/* Uses the peer's address; returns -EPROTO for an impossible length or value. */
	int (*connect)(struct cxi_link *link, const struct cxi_address *peer);

	/* After this the peer may send its first list, and one more for each response that it gets. */
	int (*prepare)(struct cxi_link *link, const struct cxi_run *run);
	/*
	 * Posts a list of sends with one doorbell. Called when the previous one has been acknowledged and answered. If
	 * the queue only accepts a part, poll() posts the rest.
	 */
	int (*start)(struct cxi_link *link);
	/* Makes progress without waiting, and returns the counts. */
	int (*poll)(struct cxi_link *link, struct cxi_progress *progress);
	/* Responds to one received list: the peer may send the next one. */
	int (*respond)(struct cxi_link *link);
	/* Undoes prepare(). Both sides' lists and responses have been acknowledged. NULL: there is nothing to undo. */
	int (*finish)(struct cxi_link *link, struct deadline deadline);
	void (*close)(struct cxi_link *link);
};

extern const struct cxi_ops cxi_libcxi_ops;
extern const struct cxi_ops cxi_fabric_ops;

/* Sets link->fault and returns error. */
int cxi_fault(struct cxi_link *link, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
