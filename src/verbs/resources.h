/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The verbs objects of a test, for the files that create them. Other layers use perftest_resources.h, which also has
 * the order of creation.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/endpoint.h"
#include "verbs/device/device.h"
#include "verbs/maker.h"
#include "verbs/memory/slots.h"
#include "verbs/queue.h"
#include "verbs/verbs_config.h"

struct buffer;	 /* memory/memory.h */
struct ibv_dmah; /* verbs/memory/tlp_hint.c */

/* Only for QPs that rdma_cm connects: the addresses, and which side is active. */
struct cm_setup {
	struct addresses addresses;
	bool is_active;	    /* this side connects and the other one listens: the client */
	uint16_t port;	    /* to listen on; 0: any, which the endpoints then carry */
	int64_t timeout_ms; /* limit of a wait without any event; < 0: none */
	/* Called several times a second while waiting: is the peer still there? 0 or -errno, reported. */
	int (*look)(void *owner);
	void *owner;
};

struct connector;
struct cm_set;	   /* verbs/connect/cm_connect.c */
struct group;	   /* verbs/connect/multicast.c */
struct mkey_set;   /* verbs/provider/mlx5_crypto.c */
struct credit_set; /* verbs/qp/credit.c */
struct rss;	   /* verbs/qp/rss.c */

/* Lockless queues: see qp/qp.h. */
struct thread_domain {
	struct ibv_td *td;
	struct ibv_pd *parent; /* NULL: not requested */
};

struct resources {
	const struct device *device;
	const struct verbs_config *config;
	struct traffic traffic; /* of this side */
	const struct connector *connector;
	struct cm_setup cm_setup;
	struct cm_set *cm;   /* with -R */
	struct group *group; /* multicast */
	bool remote_unknown; /* its endpoints are only known once rdma_cm has connected the QPs */

	struct ibv_pd *pd;
	struct ibv_pd *second_pd; /* on the second device; NULL: all QPs use pd */
	struct queue_set *sets;	  /* one per thread: together they cover tx and rx, in order */
	unsigned num_sets;
	struct tx_queue *tx; /* one per qp */
	struct rx_queue *rx; /* one per qp; if shared, one per set */
	unsigned num_rx;
	struct buffer *buffers;			    /* one, or one per qp with --mr_per_qp */
	struct thread_domain domain, second_domain; /* lockless, one per device; otherwise zeros */
	struct ibv_mr **mrs;			    /* one per buffer; two if there is one buffer and a second device */
	unsigned num_buffers;
	int dmabuf_refused; /* errno for a buffer's dmabuf, whose address was then registered; 0: none was */
	struct ibv_dmah *hint, *second_hint; /* for each device's accesses to the regions; NULL: none */
	struct mkey_set *mkeys;		     /* verbs/maker.h; NULL: none */
	struct mkey_keys *keys;		     /* that requests use instead of the registrations' keys, one per qp */
	uint64_t page_bytes;		     /* range over which small messages cycle, on both sides: host_walk() */
	uint64_t qp_region_bytes;	     /* a qp's share of each half of the buffer */
	/*
	 * If this side has both initiator and target QPs (traffic.splits): the target QPs, as many as tx, which has the
	 * initiators. NULL: all are in tx.
	 */
	struct ibv_qp **targets;
	struct ibv_xrcd *xrcd;	 /* XRC domain of the targets and their SRQ */
	struct endpoint *local;	 /* one per qp; those of targets follow the initiators', as in linux-rdma perftest */
	struct endpoint *remote; /* as many; the peer's may be received into it before resources_connect() */
	unsigned num_endpoints;
	unsigned num_qps;
	uint16_t lid;	      /* of this side, including its source path bits */
	uint16_t alt_lid;     /* of its alternate path; 0: none */
	uint32_t mtu;	      /* bytes; the smaller of both sides after resources_connect() */
	uint32_t late_mtu;    /* MTU of targets that were ready before the sides had exchanged endpoints */
	uint32_t inline_size; /* granted by all qps, at most as requested */
	uint32_t inline_asked;
	struct ibv_qp_cap granted;  /* for the last qp created; depths may exceed the request */
	uint32_t outs;		    /* initiator depth in use */
	uint32_t answers;	    /* READs and atomics of the peer that a QP holds */
	uint32_t rx_depth;	    /* of an rx_queue: as requested, but a default is lowered to the device's limit */
	bool wr_api;		    /* ibv_wr_*; false: ibv_post_send() */
	uint64_t max_message;	    /* bytes: the MTU on UD (the smaller one once connected), else the port's limit */
	uint64_t recv_bytes;	    /* length of every receive: the largest message, and 40 bytes of GRH on UD */
	bool relaxed;		    /* the regions are registered with relaxed ordering */
	struct credit_set *credits; /* flow control; NULL: none */
	struct rss *rss;	    /* raw Ethernet: the work queues that frames are spread over; NULL: none */
	struct ibv_flow **rules;    /* raw Ethernet: the steering rules of all QPs */
	unsigned num_rules;
	struct slot_grid slots; /* --data_validation: for the last message size that was prepared */
};

/* Dual port: the second half of the QPs uses the second port. Also accepts the endpoint index of a target. */
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

/* The PD in which a QP is created. */
static inline struct ibv_pd *resources_qp_pd(const struct resources *resources, unsigned index)
{
	const bool is_second = resources->second_pd && resources_is_second(resources, index);
	const struct thread_domain *domain = is_second ? &resources->second_domain : &resources->domain;

	return domain->parent ? domain->parent : resources_pd(resources, index);
}

/* The peer's endpoint that a tx_queue sends to. */
static inline const struct endpoint *resources_target(const struct resources *resources, unsigned index)
{
	return &resources->remote[resources->targets ? resources->num_qps + index : index];
}

/* All queues as one set, as for a run with several threads. Its CQs are those of the first set. */
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
	return size && size <= resources->inline_size;
}

/*
 * Ways to connect QPs that are in INIT, and to move them to RTS. perftest_resources.c chooses one by the parameters.
 * Failures are reported there.
 */
struct connector {
	/* Before the endpoints are exchanged; may add to the local ones. 0 or -errno. NULL: there is nothing to do. */
	int (*open)(struct resources *resources);
	/* The remote endpoints are known: moves QPs to RTR and RTS, creates address handles for UD. 0 or -errno. */
	int (*connect)(struct resources *resources);
	/*
	 * After connect, if the remote endpoints are only known from it: fills them in. NULL if there are no such
	 * peers.
	 */
	int (*learn_remote)(struct resources *resources);
	/* At the end of a test with such a peer. */
	void (*disconnect)(struct resources *resources);
	/* Before the QPs are destroyed; also after a failure, and possibly twice. NULL: there is nothing to do. */
	void (*close)(struct resources *resources);
};

extern const struct connector connector_endpoints; /* qp_connect.c: each side moves its QPs by the endpoints */
extern const struct connector connector_late;	   /* the same, but targets are ready before that (late_endpoint) */
extern const struct connector connector_frames;	   /* qp_connect.c: no peer to connect to */
extern const struct connector connector_group;	   /* multicast.c: a side receives from a group, or sends to one */
extern const struct connector connector_cm;	   /* cm_connect.c: with rdma_cm (-R) */

/* --- work/wr.c: the work requests that the loops post --- */

/* Allocates all chains; 0 or -ENOMEM, reported. */
int wr_open(struct resources *resources);
/*
 * Builds every queue's chains and strides for messages of this size, and the headers of frames. 0 or -errno, reported.
 */
int wr_prepare(struct resources *resources, uint64_t size);
void wr_close(struct resources *resources);
