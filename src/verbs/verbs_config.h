/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program wants from verbs: plain values, which know neither options nor programs. The options of the ib_*
 * programs are stored straight into them (params/rows/rows_*.h), and what follows from several is filled in by params
 * and session. The owner keeps them unchanged while a device or resources that were made from them exist.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "frames/frame.h"
#include "traffic/traffic.h"

struct memory_ops; /* memory/memory.h */

#define CONFIG_MAX_LABELS 128
#define CONFIG_PATH_SIZE  256
#define CONFIG_AUTO	  (-1) /* of any option: left to what it depends on, the device, the kind of test or the peer */

/* Multicast. */
struct group_config {
	bool is_used;
	uint8_t gid[16]; /* of the group that this side joins if it receives; the other side sends its own */
};

/* The program's options, for messages that say which one to change. */
struct option_names {
	const char *port; /* selects the port of the device */
	const char *device_and_port;
	const char *mtu;
	const char *outs;
	const char *memory;	 /* to lower in order to use less memory */
	const char *demand;	 /* for a client to lower what it requests from a server */
	const char *max_memory;	 /* raises the server's limit; NULL: none */
	const char *gid_or_mtu;	 /* to try if a device refuses an attribute of the path */
	const char *ack_timeout; /* NULL: none */
	const char *rdma_cm;
};

extern const struct option_names option_names_ib; /* of ib_* */

/* Congestion control of HiSilicon's adapters. */
enum config_congestion {
	CONGESTION_OF_DEVICE, /* the device's setting */
	CONGESTION_DCQCN,
	CONGESTION_LDCP,
	CONGESTION_HC3,
	CONGESTION_DIP,
};

enum config_link { CONFIG_LINK_OF_PORT, CONFIG_LINK_IB, CONFIG_LINK_ETHERNET };

/* Raw Ethernet: frames sent and received. Ports are those of the first flow of the first QP. */
struct frame_config {
	struct frame_spec sent, received;
	uint32_t flows;	      /* of a QP: the number of port pairs */
	uint32_t flows_burst; /* consecutive frames of a flow */
	bool counts_priority; /* the VLAN tag's priority increases from frame to frame */
	bool promiscuous;     /* receives what no other rule of the device matches */
	bool sniffer;	      /* receives a copy of all frames */
	bool has_sl;	      /* the service level is set */
	struct {
		bool is_used;	/* RSS: one QP spreads frames over num_qps work queues, a power of two, ... */
		bool by_ipv6;	/* ... by a hash of IPv6 addresses, or otherwise IPv4, ... */
		bool by_ports;	/* ... and of ports, ... */
		bool ports_tcp; /* ... of TCP, or otherwise UDP */
	} rss;
};

/* Packet pacing. */
struct pace_config {
	uint32_t kbps;	  /* rate limit of the device for all QPs, in 1000 bits/s; 0: none */
	uint32_t burst;	  /* messages of the largest size that it may send at once; 0: the device's default */
	uint16_t typical; /* bytes of a typical packet; 0: not set */
};

enum tph_mem { TPH_MEM_NONE = -1, TPH_MEM_VM, TPH_MEM_PM }; /* those of enum ibv_tph_mem_type: volatile, persistent */

/* PCIe processing hints for the device's memory accesses. */
struct hint_config {
	bool is_used;
	int ph;		     /* 0 to 3, PCI Express Base Specification 2.2.7.1.1 */
	int cpu_id;	     /* kernel's number of the CPU to whose cache data goes; CONFIG_AUTO: none */
	enum tph_mem memory; /* with cpu_id */
};

/* AES-XTS encryption on the wire or in memory. */
struct crypto_config {
	bool is_used;
	bool encrypt_on_tx;		 /* encrypt when sending and decrypt when receiving; otherwise the reverse */
	bool signature_first;		 /* of an adapter that also signs, which no option asks for */
	uint32_t block_bytes;		 /* data is encrypted in blocks of this size */
	uint32_t num_keys;		 /* used by the QPs in turn */
	char kek_path[CONFIG_PATH_SIZE]; /* "": the device accepts plaintext keys */
	char credentials_path[CONFIG_PATH_SIZE];
	char key_program[CONFIG_PATH_SIZE];
};

struct verbs_config {
	const struct option_names *names; /* NULL: those of ib_* */

	/* device and path */
	char device_name[132]; /* "": the first; "mlx5_0,mlx5_1": with dual port */
	uint8_t port;
	bool port_is_given; /* by the user: do not choose another one */
	bool dual_port;	    /* half of the QPs use a second port, or a second device */
	bool per_port;	    /* count what each port has transferred */
	enum config_link link;
	int gid_index; /* CONFIG_AUTO: chosen by address family and type */
	bool ipv6;     /* prefer IPv6 GIDs in that choice */
	uint32_t mtu;  /* bytes; 0: the port's active MTU */
	uint16_t pkey_index;
	uint8_t sl;
	uint8_t tclass;
	uint32_t flow_labels[CONFIG_MAX_LABELS]; /* 20 bits, of the GRH or IPv6; used by the QPs in turn */
	unsigned num_flow_labels;		 /* 0: the flow label is 0 */
	int dlid;				 /* 0, CONFIG_AUTO: the peer's */
	uint8_t src_path_bits;			 /* InfiniBand: select one of the port's LIDs if its LMC is not 0 */
	uint8_t alt_port;			 /* InfiniBand: port of the alternate path; 0: none */
	uint8_t qp_timeout;			 /* 4.096 us * 2^n */
	bool rdma_cm;				 /* rdma_cm connects the queue pairs */
	const char *cm_hint; /* appended to the message that something needs rdma_cm: what to do; NULL: nothing */
	int tos;	     /* traffic class with rdma_cm; CONFIG_AUTO: rdma_cm's default */
	uint8_t retry_count; /* with rdma_cm; at most 7 */
	double rate_gbits;   /* static rate of the address handle, 10^9 bits/s; 0: none */
	struct pace_config pace;
	const char *rate_hint; /* appended to the message that the device lacks that rate: what to do; NULL: nothing */

	/* queues */
	enum transport transport;
	const char *datagram_hint; /* appended to the message that the device only has datagrams: what to do; NULL:
				      nothing */
	struct traffic traffic;	   /* of this side */
	uint32_t num_qps;
	uint32_t num_threads;	/* that drive the QPs, each with its own CQs; 0: one */
	uint32_t tx_depth;	/* of a QP */
	uint32_t rx_depth;	/* of a QP, or of the SRQ that a thread's QPs share */
	bool shares_receives;	/* in a shared receive queue (SRQ) */
	bool flow_control;	/* on iWARP the receiver of SENDs limits the sender (credit.h) */
	bool rx_depth_is_given; /* by the user; otherwise it may be lowered to the device's limit */
	uint32_t cq_mod;	/* of messages, the last of this many has a completion */
	uint32_t post_list;	/* 1: no lists */
	uint32_t recv_post_list;
	int inline_size;	    /* bytes; CONFIG_AUTO: by the type of test */
	int outs;		    /* READs and atomics in flight on a QP; CONFIG_AUTO: the device's limit */
	uint8_t log_dci_streams;    /* DC: requests use streams of their QP, which has 2^n; 0: it has none */
	int log_active_dci_streams; /* ... of which 2^n are used; CONFIG_AUTO: all */
	bool events;		    /* completion channels */
	uint32_t comp_vector;
	uint32_t inline_recv; /* bytes of a message that may be received within its CQE; 0: the device's default */
	bool out_of_order;    /* receives may be consumed in another order than messages were sent in */
	bool unsolicited;     /* SRD: RDMA WRITE with immediate data consumes no receive */
	enum config_congestion congestion;
	bool no_lock;		/* one thread uses the queues: without locks in the library, or the test fails */
	bool use_old_post_send; /* ibv_post_send() even where ibv_wr_*() is preferred */
	bool use_wr_api;	/* ibv_wr_*(), or fail */

	struct group_config group; /* zeros: no multicast */

	/* raw Ethernet; otherwise zeros */
	struct frame_config frames;

	/* messages and their memory */
	uint64_t size;	    /* bytes */
	bool size_is_given; /* by the user: refused if the path cannot carry it */
	bool all_sizes;	    /* all of the sweep, up to the largest size */
	struct sweep sweep;
	bool data_validation;
	uint64_t messages; /* of each QP and size, the same on both sides; 0: as many as fit in the time */
	bool takes_turns;  /* ping-pong in which the sides take turns as initiator */
	bool mr_per_qp;
	bool disable_relaxed; /* ordering */
	const struct memory_ops *memory;
	uint64_t memory_bytes; /* size of that memory, which all processes share; 0: host memory */
	bool odp;	       /* on-demand paging */
	bool dmabuf;	       /* register as a dmabuf, or fail */
	bool data_direct;      /* register for data direct (past the CPU's memory controller), or fail */
	bool null;	       /* null region */
	struct hint_config hints;
	struct crypto_config crypto;
	char payload_file[CONFIG_PATH_SIZE]; /* "": random data */
	uint32_t peer_page_bytes;	     /* page size of the peer's host; 0: unknown */
	uint64_t max_memory;  /* bytes of this host's memory for clients; 0: half of what is available, ... */
	unsigned num_clients; /* ... shared by this many; 0: by one */
};

static inline const struct option_names *verbs_config_names(const struct verbs_config *config)
{
	return config->names ? config->names : &option_names_ib;
}

/* Queue sets, one per thread. */
static inline uint32_t verbs_config_sets(const struct verbs_config *config)
{
	return config->num_threads ? config->num_threads : 1;
}
