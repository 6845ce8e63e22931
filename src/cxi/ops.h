/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does the benchmark ask of what carries its sends? One table for libcxi (libcxi_ops.c), the default, and one for
 * libfabric (fabric_ops.c, --provider). Exchange of options and addresses, buffers, order, time and figures are the
 * benchmark's; work requests, events and memory registration are the transport's.
 *
 * Order of calls, by one thread:
 *
 *	open                         before the sides meet: what is missing on this host is found here
 *	map, address, connect        once, when the options are agreed
 *	prepare                      for each size; both sides, then they pass a barrier
 *	  start, poll, respond       as often as lists go and come
 *	finish                       when nothing is under way in either direction
 *	close                        in any state after open, also after one that failed
 *
 * All functions but close() return 0 or -errno with a sentence in link->fault, which says what and where, without a
 * full stop; the benchmark reports it. None waits for the peer without a limit: connect() and finish() have a
 * deadline, the others return at once.
 */
#ifndef CXI_OPS_H
#define CXI_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory.h"
#include "util/deadline.h"

#define CXI_FAULT_SIZE	 512
#define CXI_TEXT_SIZE	 160 /* an address, a library and its version */
#define CXI_ADDRESS_SIZE 256 /* bytes, the most that a transport's address takes */

#define CXI_DEFAULT_DEVICE "cxi0"
#define CXI_MAX_LIST	   16382	 /* sends of a list, at least 1 */
#define CXI_MAX_SIZE	   4294967295ULL /* bytes of a send, at least 1 */
#define CXI_MTU		   2048		 /* bytes of payload in a packet of Portals */
#define CXI_IDC_MAX	   192		 /* bytes that an immediate data command carries */

struct cxi_ops;

/* A transport that is open, or is yet to be. The benchmark zeroes it and sets ops. */
struct cxi_link {
	const struct cxi_ops *ops;
	void *private;		      /* the transport's, from open() to close(); NULL: nothing is open */
	char fault[CXI_FAULT_SIZE];   /* why the last call failed */
	char library[CXI_TEXT_SIZE];  /* what carries the sends, for the document: "libcxi.so.1.7.0"; open() fills it */
	char provider[CXI_TEXT_SIZE]; /* of libfabric, as it calls itself: "tcp;ofi_rxm"; "" until map() */
};

/* Where to send from: this side's own options. */
struct cxi_place {
	bool is_server;
	char device[64];   /* "cxi0"; "": with a provider, whichever it chooses */
	uint32_t svc_id;   /* 1..; 0: the default service */
	uint16_t vni;	   /* 0: the transport chooses */
	char provider[64]; /* of libfabric; "": libcxi */
	int64_t limit_ms;  /* for which a call of the library may last while sides connect */
};

/* What both sides agreed on; the same for all sizes. */
struct cxi_plan {
	bool sends, receives; /* this side; both if bidirectional */
	bool idc;	      /* immediate data commands up to CXI_IDC_MAX bytes */
	bool rendezvous;
	bool checks_data;  /* what a list brought is looked at as soon as the list is counted */
	uint32_t list;	   /* sends of a list, 1..CXI_MAX_LIST */
	uint64_t max_size; /* of the largest send, bytes */
	int peer_fd;	   /* of the side channel, which hangs up when the peer is gone; -1: none */
	char local_ip[64]; /* this host's end of the side channel, which the peer's host reaches; "": not known */
};

/* One size. Send i of a list lies at the same offset of the sender's tx and the receiver's rx buffer. */
struct cxi_run {
	uint64_t size;	       /* bytes of a send, 1..plan.max_size */
	uint64_t granularity;  /* from one send to the next, bytes; at least size */
	int64_t standstill_ms; /* how long no list may be completed, and so a call may last */
	uint64_t slots;	       /* send i is at (i % slots) * granularity, which ends within both buffers; 1..list */
};

/* An address on the wire of the side channel. The transport's own form, bounded and checked when it comes back. */
struct cxi_address {
	uint16_t length; /* bytes, 1..CXI_ADDRESS_SIZE */
	uint8_t bytes[CXI_ADDRESS_SIZE];
};

/* Since prepare(); all of them grow only. */
struct cxi_progress {
	uint64_t sent;	    /* lists of this side all of whose sends are acknowledged */
	uint64_t received;  /* lists that have arrived whole, and whose data can be read */
	uint64_t responses; /* the peer's, that have arrived */
	uint64_t responded; /* this side's that are acknowledged */
};

struct cxi_ops {
	const char *name; /* "libcxi", "libfabric" */

	/*
	 * Loads the library and opens the device. A library, device or provider that is missing is -ENOENT, and the
	 * fault says which.
	 */
	int (*open)(struct cxi_link *link, const struct cxi_place *place);

	/*
	 * Makes queues and registers both buffers, which live until close(); the benchmark frees them after it. A side
	 * that does not send has a tx buffer of a page, and the same with rx. Their ops->is_far tells device memory.
	 */
	int (*map)(struct cxi_link *link, const struct cxi_plan *plan, const struct buffer *tx,
		   const struct buffer *rx);
	/* This side's own, after map(). */
	int (*address)(struct cxi_link *link, struct cxi_address *address);
	/* The peer's, from outside: a length or a value that can't be is -EPROTO. */
	int (*connect)(struct cxi_link *link, const struct cxi_address *peer, struct deadline deadline);
	/* Both sides are on one NIC; after connect(). */
	bool (*is_loopback)(const struct cxi_link *link);
	/* "NIC 0x12 PID 0 VNI 10", and of the peer "NIC 0x13 PID 0". Returns text. */
	const char *(*own_text)(const struct cxi_link *link, char text[CXI_TEXT_SIZE]);
	const char *(*peer_text)(const struct cxi_link *link, char text[CXI_TEXT_SIZE]);

	/* From here on the peer may send its first list, and one more for each response that it gets. */
	int (*prepare)(struct cxi_link *link, const struct cxi_run *run);
	/*
	 * Hands a list of sends over with one doorbell. Called when the one before is acknowledged and answered. Where
	 * the queue takes only a part, poll() goes on with the rest.
	 */
	int (*start)(struct cxi_link *link);
	/* Lets things go on, without waiting, and tells how far they are. */
	int (*poll)(struct cxi_link *link, struct cxi_progress *progress);
	/* Answers one list that was received: the peer may send the next one. */
	int (*respond)(struct cxi_link *link);
	/* Takes back what prepare() left. Both sides' lists and responses are acknowledged. */
	int (*finish)(struct cxi_link *link, struct deadline deadline);
	void (*close)(struct cxi_link *link);
};

extern const struct cxi_ops cxi_libcxi_ops;
extern const struct cxi_ops cxi_fabric_ops;

/* Writes link->fault and returns error. */
int cxi_fault(struct cxi_link *link, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
