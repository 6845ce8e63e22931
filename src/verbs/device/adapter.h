/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is true of a vendor's adapters and their provider libraries, and no attribute of a device says: one row for each
 * in adapter.c. Asked when a device is opened, and by what chooses for it.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/pcie.h"

struct transport_traits; /* traffic/transport.h */

/* A value of struct ibv_wc's vendor_err. */
struct vendor_error {
	const char *name;   /* NULL: unknown */
	const char *causes; /* and what to check; NULL: those of the status (wc_status.c) say as much */
};

struct adapter {
	uint32_t vendor;		/* PCI vendor ID, or the OUI of the node; 0: any */
	uint32_t first_part, last_part; /* vendor_part_id; 0 and 0: all */
	const char *name;		/* of the driver, or the product; "" for devices that no other row describes */
	bool calls;			/* ibv_wr_*() is the shorter path, and right */
	const char *calls_why;		/* or why not */
	bool calls_corrupt;		/* that reason is wrong data */
	const char *calls_library;	/* a name of the provider library since it is right; NULL: always */
	bool datagrams_only;		/* no connected QPs */
	bool signals_all;		/* every request must be signalled */
	bool no_inline;			/* accepts inline data, and sends from memory nevertheless */
	bool no_xrc_inline;		/* its library crashes on inline data of an RDMA WRITE over XRC */
	bool packet_inline;		/* inline data longer than the path MTU is refused, except of datagrams */
	bool srq_spare;			/* an SRQ of max_srq_wr receives is refused */
	bool no_reset;			/* RESET is ERROR for the device, which a QP never leaves */
	bool answers_order;  /* its answer whether data arrives in order is its own, not the library's "no" */
	bool iwarp_imm;	     /* RDMA WRITE with immediate data over iWARP (RFC 7306) */
	bool iwarp_send_imm; /* SEND with immediate data over iWARP, which no RFC has */
	bool log_outs;	/* its driver rounds READs in flight to a power of two, up (mlx4, hns) or either way (mlx5) */
	bool null_rkey; /* the peer can use the key of a null memory region */
	bool reorders;	/* linux-rdma perftest 6.28 has receives consumed out of order, unless the library says no */
	const struct vendor_error *errors; /* by number; NULL: not documented */
	uint32_t num_errors;
	uint32_t max_message; /* bytes, where older drivers report none; 0: all report it */
	uint32_t most_reads;  /* READs in the send queue; 0: as many as other requests */
	/*
	 * Bytes of a scatter/gather element, if inline data that does not fit into the two of a connected QP's request
	 * is refused on older kernels unless the QP may have as many more; a datagram's request has none. 0: no matter.
	 */
	uint32_t inline_piece;
	/* More makes their work queue entries wider, or is refused. */
	uint32_t inline_latency; /* bytes by default in a latency test; 0: as many as the QP type's row says */
};

/* Never NULL. */
const struct adapter *adapter_of(const struct ibv_device_attr *attr);
/* Is ibv_wr_*() the shorter path, and right in the provider library that is loaded? */
bool adapter_has_calls(const struct ibv_device_attr *attr);
/* NULL if the vendor does not say what that vendor_err means. */
const struct vendor_error *adapter_error(const struct ibv_device_attr *attr, uint32_t vendor_err);
/* As many READs and atomics in flight as a QP keeps, without rounding up, if it may have that many. */
uint32_t adapter_outs(const struct ibv_device_attr *attr, uint32_t outs);
/* Must every request have a completion? */
bool adapter_signals_all(const struct ibv_device_attr *attr, const struct transport_traits *transport);
