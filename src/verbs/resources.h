/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What there is of verbs objects in a test, for the files that make its parts. perftest_resources.h has the order in
 * which they are made, and is what other layers call.
 */
#ifndef VERBS_RESOURCES_H
#define VERBS_RESOURCES_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/addresses.h"
#include "util/endpoint.h"
#include "verbs/device.h"
#include "verbs/mkey.h"
#include "verbs/queue.h"
#include "verbs/slots.h"
#include "verbs/thread_domain.h"
#include "verbs/verbs_config.h"

struct buffer;	 /* memory/memory.h */
struct ibv_dmah; /* verbs/tlp_hint.h */

/*
 * With the other side, for queue pairs that are connected by rdma_cm: between which addresses, and which side is
 * active. Otherwise it is not read.
 */
struct cm_setup {
	struct addresses addresses;
	bool is_active;	    /* this side asks to be connected, and the other listens: the client */
	uint16_t port;	    /* to listen on; 0: any, which the endpoints tell */
	int64_t timeout_ms; /* limit of a wait in which nothing happens; < 0: none */
	/* Called several times a second during a wait: is the other side well? 0 or -errno, reported. */
	int (*look)(void *owner);
	void *owner;
};

struct connector;  /* verbs/connector.h */
struct cm_set;	   /* verbs/cm_connect.c */
struct group;	   /* verbs/multicast.c */
struct mkey_set;   /* verbs/mlx5_mkey.c */
struct credit_set; /* verbs/credit.c */
struct rss;	   /* verbs/rss.c */

struct resources {
	const struct device *device;
	const struct verbs_config *config;
	struct traffic traffic; /* of this side */
	const struct connector *connector;
	struct cm_setup cm_setup;
	struct cm_set *cm;   /* with -R */
	struct group *group; /* multicast */
	bool remote_unknown; /* its endpoints come only when rdma_cm has connected the queue pairs */

	struct ibv_pd *pd;
	struct ibv_pd *second_pd; /* of a second device; NULL: pd is that of all queue pairs */
	struct queue_set *sets;	  /* of a thread each: together all of tx and rx, in order */
	unsigned num_sets;
	struct tx_queue *tx; /* one per qp */
	struct rx_queue *rx; /* one per qp; where they share one, one per set */
	unsigned num_rx;
	struct buffer *buffers;			    /* one, or one per qp with --mr_per_qp */
	struct thread_domain domain, second_domain; /* without locks, of both; otherwise zeros */
	struct ibv_mr **mrs;			    /* one per buffer; of one buffer and a second device two */
	unsigned num_buffers;
	struct ibv_dmah *hint, *second_hint; /* for accesses of each device to them; NULL: none */
	struct mkey_set *mkeys;		     /* verbs/mkey.h; NULL: there are none */
	struct mkey_keys *keys;		     /* by which requests then name memory, one per qp */
	uint64_t page_bytes;		     /* small messages walk over so much, on both sides: host_walk() */
	uint64_t qp_region_bytes;	     /* a qp's share of each half of the buffer */
	/*
	 * Where this side has initiator and target QPs (traffic.splits): the target QPs, one for each of tx, which has
	 * the initiators. NULL: tx has all.
	 */
	struct ibv_qp **targets;
	struct ibv_xrcd *xrcd;	/* XRC, of the targets and their shared receive queue */
	struct endpoint *local; /* one per qp; behind the initiators' those of targets, as linux-rdma perftest has it */
	struct endpoint *remote; /* as many: room for the peer's answer, which resources_connect() reads */
	unsigned num_endpoints;
	unsigned num_qps;
	uint16_t lid;	      /* of this side, with its source path bits */
	uint16_t alt_lid;     /* of its alternate path; 0: none */
	uint32_t mtu;	      /* bytes: the smaller of both sides after resources_connect() */
	uint32_t late_mtu;    /* which targets have that were ready before both sides knew each other */
	uint32_t inline_size; /* what all qps granted, at most what was asked */
	uint32_t inline_asked;
	struct ibv_qp_cap granted; /* of the last qp made: depths may be more than was asked for */
	uint32_t outs;		   /* initiator depth in use */
	uint32_t rx_depth;    /* receives that an rx_queue holds: as asked for, but a default is lowered to the device's
				 limit */
	bool wr_api;	      /* ibv_wr_*; false: ibv_post_send() */
	uint64_t max_message; /* bytes: the MTU on UD (of both sides once connected), else the port's limit */
	uint64_t recv_bytes;  /* length of every receive: the largest message, and 40 bytes of GRH on UD */
	bool relaxed;	      /* the regions are registered with relaxed ordering */
	struct credit_set *credits; /* flow control; NULL: there is none */
	struct rss *rss;	    /* raw Ethernet: the work queues over which frames are spread; NULL: they are not */
	struct ibv_flow **rules;    /* raw Ethernet: the steering rules of all queue pairs */
	unsigned num_rules;
	struct slot_grid slots; /* --data_validation: for messages of the size that was prepared last */
};

/* Dual port: the second half of the queue pairs is the second port's. Also of a target, by its endpoint. */
static inline bool resources_is_second(const struct resources *resources, unsigned index)
{
	return resources->device->second && index % resources->num_qps >= resources->num_qps / 2;
}

static inline const struct device *resources_device(const struct resources *resources, unsigned index)
{
	return resources_is_second(resources, index) ? resources->device->second : resources->device;
}

static inline struct ibv_pd *resources_pd(const struct resources *resources, unsigned index)
{
	return resources->second_pd && resources_is_second(resources, index) ? resources->second_pd : resources->pd;
}

/* In which a queue pair is made. */
static inline struct ibv_pd *resources_qp_pd(const struct resources *resources, unsigned index)
{
	const bool is_second = resources->second_pd && resources_is_second(resources, index);
	const struct thread_domain *domain = is_second ? &resources->second_domain : &resources->domain;

	return domain->parent ? domain->parent : resources_pd(resources, index);
}

/* The peer's end of what a tx_queue sends to. */
static inline const struct endpoint *resources_target(const struct resources *resources, unsigned index)
{
	return &resources->remote[resources->targets ? resources->num_qps + index : index];
}

/* All of them as one set: what a run of several threads is about. Its completion queues are the first one's. */
static inline struct queue_set resources_all_queues(const struct resources *resources)
{
	struct queue_set all = resources->sets[0];

	all.num_tx = resources->num_qps;
	all.num_rx = resources->num_rx;
	return all;
}

/* Do messages of this size go inline? */
static inline bool resources_inlines(const struct resources *resources, uint64_t size)
{
	return size <= resources->inline_size;
}

#endif
