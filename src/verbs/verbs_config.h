/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program asks of verbs: plain values, no option and no program is known here. What fills it (session, for
 * the ib_* programs) keeps it unchanged for as long as a device or resources made from it live.
 */
#ifndef VERBS_VERBS_CONFIG_H
#define VERBS_VERBS_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/frame.h"
#include "traffic/traffic.h"

struct memory_ops; /* memory/memory.h */

#define CONFIG_MAX_LABELS 128
#define CONFIG_AUTO	  (-1) /* chosen by the device, by the kind of test, or by the peer */

enum config_link { CONFIG_LINK_OF_PORT, CONFIG_LINK_IB, CONFIG_LINK_ETHERNET };

/* Raw Ethernet: what goes and what comes. Ports are those of the first flow of the first queue pair. */
struct frame_config {
	struct frame_spec sent, received;
	uint32_t flows;	      /* of a queue pair: as many pairs of ports */
	uint32_t flows_burst; /* frames of a flow that follow each other */
	bool counts_priority; /* that of the VLAN tag goes up from frame to frame */
	bool promiscuous;     /* takes what no other rule of the device takes */
	bool sniffer;	      /* takes a copy of everything */
};

struct verbs_config {
	/* device and path */
	const char *device_name; /* "": the first */
	uint8_t port;
	bool port_is_given; /* by the user: no other will do */
	enum config_link link;
	int gid_index; /* CONFIG_AUTO: chosen by address family and type */
	bool ipv6;     /* that choice prefers IPv6 GIDs */
	uint32_t mtu;  /* bytes; 0: the port's active MTU */
	uint16_t pkey_index;
	uint8_t sl;
	uint8_t tclass;
	uint32_t flow_labels[CONFIG_MAX_LABELS]; /* 20 bits, of the GRH or IPv6; queue pairs take them in turn */
	unsigned num_flow_labels;		 /* 0: the label is 0 */
	int dlid;				 /* CONFIG_AUTO: the peer's */
	uint8_t src_path_bits;			 /* InfiniBand: which of the port's LIDs, where its LMC is not 0 */
	uint8_t alt_port;			 /* InfiniBand: of the alternate path; 0: none */
	uint8_t qp_timeout;			 /* 4.096 us * 2^n */
	bool rdma_cm;				 /* rdma_cm connects the queue pairs */
	const char *cm_hint;			 /* behind the words that only rdma_cm can: what to do; NULL: nothing */
	int tos;	       /* traffic class of what rdma_cm connects; CONFIG_AUTO: rdma_cm's default */
	uint8_t retry_count;   /* of what rdma_cm connects; 7 is the most */
	double rate_gbits;     /* static rate of the address, 10^9 bits/s; 0: none */
	const char *rate_hint; /* behind the words that the device has no such rate: what to do; NULL: nothing */

	/* queues */
	enum transport transport;
	const char *datagram_hint; /* behind the words that the device has datagrams only: what to do; NULL: nothing */
	struct traffic traffic;	   /* of this side */
	uint32_t num_qps;
	uint32_t tx_depth;	/* of a queue pair */
	uint32_t rx_depth;	/* of a queue pair, or of the receive queue that all share */
	bool shares_receives;	/* in a shared receive queue (SRQ) */
	bool rx_depth_is_given; /* by the user; otherwise it may be lowered to the device's limit */
	uint32_t post_list;	/* 1: no lists */
	uint32_t recv_post_list;
	int inline_size; /* bytes; CONFIG_AUTO: what suits the kind of test */
	int outs;	 /* READs and atomics in flight on a queue pair; CONFIG_AUTO: the device's limit */
	bool events;	 /* completion channels */
	uint32_t comp_vector;
	bool use_old_post_send; /* ibv_post_send() even where ibv_wr_* exists */

	/* raw Ethernet; otherwise zeros */
	struct frame_config frames;

	/* messages and their memory */
	uint64_t size;	    /* bytes */
	bool size_is_given; /* by the user: one that the path can't carry is refused */
	bool all_sizes;	    /* a sweep up to the largest size */
	bool data_validation;
	bool takes_turns; /* a ping-pong whose sides ask by turns */
	bool mr_per_qp;
	bool disable_relaxed; /* ordering */
	const struct memory_ops *memory;
	const char *payload_file; /* "": random data */
	uint32_t peer_page_bytes; /* of the peer's host; 0: not known */
	uint64_t max_memory;	  /* bytes that a client may have of this host; 0: half of what is available */
};

#endif
