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

/* Multicast. */
struct group_config {
	bool is_used;
	uint8_t gid[16]; /* the group that this side is in, where it receives; the other side tells of its own */
};

/* What the program calls its options, where a message tells its user which one to change. */
struct option_names {
	const char *port; /* of the device */
	const char *device_and_port;
	const char *mtu;
	const char *outs;
	const char *memory;	 /* what to lower for less of it */
	const char *demand;	 /* what a client lowers of what it asks of a server */
	const char *max_memory;	 /* by which the server lends more; NULL: there is none */
	const char *gid_or_mtu;	 /* what to try where a device refuses an attribute of the path */
	const char *ack_timeout; /* NULL: there is none */
	const char *rdma_cm;
};

extern const struct option_names option_names_ib; /* of ib_* */

/* Of HiSilicon's adapters. */
enum config_congestion {
	CONGESTION_OF_DEVICE, /* as it is set for it */
	CONGESTION_DCQCN,
	CONGESTION_LDCP,
	CONGESTION_HC3,
	CONGESTION_DIP,
};

enum config_link { CONFIG_LINK_OF_PORT, CONFIG_LINK_IB, CONFIG_LINK_ETHERNET };

/* Raw Ethernet: what goes and what comes. Ports are those of the first flow of the first queue pair. */
struct frame_config {
	struct frame_spec sent, received;
	uint32_t flows;	      /* of a queue pair: as many pairs of ports */
	uint32_t flows_burst; /* frames of a flow that follow each other */
	bool counts_priority; /* that of the VLAN tag goes up from frame to frame */
	bool promiscuous;     /* takes what no other rule of the device takes */
	bool sniffer;	      /* takes a copy of everything */
	bool has_sl;	      /* the device is told the service level */
	struct {
		bool is_used;	/* one queue pair spreads what comes over num_qps work queues, a power of two, ... */
		bool by_ipv6;	/* ... by a hash of addresses of IPv6, or else of IPv4, ... */
		bool by_ports;	/* ... and of ports, ... */
		bool ports_tcp; /* ... those of TCP, or else of UDP */
	} rss;
	uint32_t pace_kbps; /* at which the device is to send, on all queue pairs, in 1000 bits/s; 0: as fast as it goes
			     */
	uint32_t pace_burst;   /* frames of the largest size that it may send at once; 0: as it likes */
	uint16_t pace_typical; /* bytes of most frames; 0: not said */
};

/* Processing hints on PCIe for the device's accesses to memory. */
struct hint_config {
	bool is_used;
	uint8_t ph;	  /* 0 to 3, PCI Express Base Specification 2.2.7.1.1 */
	bool names_cpu;	  /* in whose cache data is to go */
	uint32_t cpu_id;  /* which, as the kernel numbers them */
	uint8_t mem_type; /* enum ibv_tph_mem_type: 0 volatile, 1 persistent */
};

/* AES-XTS between memory and wire. */
struct crypto_config {
	bool is_used;
	bool encrypt_on_tx;   /* what is sent is encrypted, and what comes is decrypted; otherwise the reverse */
	bool signature_first; /* of data that is signed as well */
	uint32_t block_bytes; /* of data that is encrypted by itself */
	uint32_t num_keys;    /* queue pairs take them in turn */
	const char *kek_path; /* "": the device takes keys as they are */
	const char *credentials_path;
	const char *key_program;
};

struct verbs_config {
	const struct option_names *names; /* NULL: those of ib_* */

	/* device and path */
	const char *device_name; /* "": the first; "mlx5_0,mlx5_1": the second port's, too, where there is one */
	uint8_t port;
	bool port_is_given; /* by the user: no other will do */
	bool dual_port;	    /* half of the queue pairs use a second port, or a second device */
	bool per_port;	    /* what each has moved is counted */
	enum config_link link;
	int gid_index; /* CONFIG_AUTO: chosen by address family and type */
	bool ipv6;     /* that choice prefers IPv6 GIDs */
	uint32_t mtu;  /* bytes; 0: the port's active MTU */
	uint16_t pkey_index;
	uint8_t sl;
	uint8_t tclass;
	uint32_t flow_labels[CONFIG_MAX_LABELS]; /* 20 bits, of the GRH or IPv6; queue pairs take them in turn */
	unsigned num_flow_labels;		 /* 0: the label is 0 */
	int dlid;				 /* 0, CONFIG_AUTO: the peer's */
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
	uint32_t num_threads;	/* that drive them, each with completion queues of its own; 0: one */
	uint32_t tx_depth;	/* of a queue pair */
	uint32_t rx_depth;	/* of a queue pair, or of the receive queue that those of a thread share */
	bool shares_receives;	/* in a shared receive queue (SRQ) */
	bool flow_control;	/* on iWARP the receiver of SENDs tells how many may be sent (credit.h) */
	bool rx_depth_is_given; /* by the user; otherwise it may be lowered to the device's limit */
	uint32_t post_list;	/* 1: no lists */
	uint32_t recv_post_list;
	int inline_size;	 /* bytes; CONFIG_AUTO: what suits the kind of test */
	int outs;		 /* READs and atomics in flight on a queue pair; CONFIG_AUTO: the device's limit */
	bool dci_streams;	 /* DC: requests go to streams of their queue pair, ... */
	uint8_t log_dci_streams; /* ... which has so many, a power of two, ... */
	uint8_t log_active_dci_streams; /* ... and of which so many are used */
	bool events;			/* completion channels */
	uint32_t comp_vector;
	uint32_t inline_recv; /* bytes of a message that may come within its completion; 0: as the device likes */
	bool out_of_order;    /* receives may be used up in another order than messages were sent in */
	bool unsolicited;     /* SRD: RDMA WRITE with immediate data uses up no receives */
	enum config_congestion congestion;
	bool no_lock;		/* one thread uses the queues: the library leaves its locks out, or the test ends */
	bool use_old_post_send; /* ibv_post_send() even where ibv_wr_* exists */

	struct group_config group; /* zeros: no multicast */

	/* raw Ethernet; otherwise zeros */
	struct frame_config frames;

	/* messages and their memory */
	uint64_t size;	    /* bytes */
	bool size_is_given; /* by the user: one that the path can't carry is refused */
	bool all_sizes;	    /* a sweep up to the largest size */
	bool data_validation;
	uint64_t messages; /* of each queue pair and size, the same on both sides; 0: as many as the time allows */
	bool takes_turns;  /* a ping-pong whose sides ask by turns */
	bool mr_per_qp;
	bool disable_relaxed; /* ordering */
	const struct memory_ops *memory;
	uint64_t memory_bytes; /* that there are of it, which all processes share; 0: it is the host's */
	bool odp;	       /* it is paged on demand */
	bool dmabuf;	       /* it is registered as one, or not at all */
	bool data_direct;      /* as one that the device reaches without the CPU's memory controller, or not at all */
	bool null;	       /* it is a null region */
	struct hint_config hints;
	struct crypto_config crypto;
	bool signs;		  /* each block of data has a signature on the wire (mkey.h) */
	const char *payload_file; /* "": random data */
	uint32_t peer_page_bytes; /* of the peer's host; 0: not known */
	uint64_t max_memory;	  /* bytes that a client may have of this host; 0: half of what is available, ... */
	unsigned num_clients;	  /* ... which these share; 0: it has it alone */
};

static inline const struct option_names *verbs_config_names(const struct verbs_config *config)
{
	return config->names ? config->names : &option_names_ib;
}

/* Sets of queues, one for each thread. */
static inline uint32_t verbs_config_sets(const struct verbs_config *config)
{
	return config->num_threads ? config->num_threads : 1;
}

#endif
