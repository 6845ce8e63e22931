/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The only owner of ibv_* objects. session calls, in this order:
 *
 *   device_open()           early, so that a wrong -d fails before anyone waits for a peer
 *   resources_open()        pd, buffers, mr, cqs, qps in INIT; the local endpoints
 *   resources_connect()     RTR and RTS, address handles for UD: by the endpoints, or by rdma_cm
 *   resources_prepare()     work requests for one message size
 *   resources_close(), device_close()
 *
 * Every failure is reported once, here, with what was asked of the device and what it allows.
 */
#ifndef VERBS_PERFTEST_RESOURCES_H
#define VERBS_PERFTEST_RESOURCES_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/addresses.h"
#include "util/endpoint.h"
#include "verbs/places.h"
#include "verbs/queue.h"
#include "verbs/verbs_config.h"

struct buffer; /* memory/memory.h */

struct device {
	struct ibv_context *context;
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	uint8_t port;
	char name[64];
	bool ethernet; /* link layer, or --force-link */
	int gid_index; /* -1: LID routing */
	union ibv_gid gid;
	enum gid_kind gid_kind;
	unsigned gid_ifindex; /* of the GID's network interface; 0: not known */
	int numa_node;	      /* of the device; -1 unknown */
	bool is_software;     /* a device of libperftest_soft: figures are this host's memory system */
};

/*
 * With the other side, for queue pairs that are connected by rdma_cm: between which addresses, and who asks.
 * Otherwise nobody looks at it.
 */
struct meeting {
	struct addresses addresses;
	bool asks;	    /* this side asks to be connected, and the other listens: the client */
	uint16_t port;	    /* to listen on; 0: any, which the endpoints tell */
	int64_t timeout_ms; /* limit of a wait in which nothing happens; < 0: none */
	/* Called several times a second during a wait: is the other side well? 0 or -errno, reported. */
	int (*look)(void *owner);
	void *owner;
};

struct connector; /* verbs/connector.h */
struct cm_set;	  /* verbs/cm_connect.c */

struct resources {
	const struct device *device;
	const struct verbs_config *config;
	struct traffic traffic; /* of this side */
	const struct connector *connector;
	struct meeting meeting;
	struct cm_set *cm; /* with -R */
	bool peer_unseen;  /* its endpoints come only when rdma_cm has connected the queue pairs */

	struct ibv_pd *pd;
	struct queue_set *sets; /* of a thread each: together all of tx and rx, in order */
	unsigned num_sets;
	struct tx_queue *tx;	/* one per qp */
	struct rx_queue *rx;	/* one per qp */
	struct buffer *buffers; /* one, or one per qp with --mr_per_qp */
	struct ibv_mr **mrs;
	unsigned num_buffers;
	uint64_t page_bytes;	 /* small messages walk over so much, on both sides: the larger page of the two hosts */
	uint64_t slot_bytes;	 /* a qp's share of each half of the buffer */
	struct endpoint *local;	 /* one per qp */
	struct endpoint *remote; /* one per qp: room for the peer's answer, which resources_connect() reads */
	unsigned num_qps;
	uint32_t mtu;	      /* bytes: the smaller of both sides after resources_connect() */
	uint32_t inline_size; /* what all qps granted, at most what was asked */
	uint32_t inline_asked;
	struct ibv_qp_cap granted; /* of the last qp made: depths may be more than was asked for */
	uint32_t outs;		   /* initiator depth in use */
	uint32_t rx_depth; /* receives that a qp holds: as asked for, but a default is lowered to the device's limit */
	bool wr_api;	   /* ibv_wr_*; false: ibv_post_send() */
	uint64_t max_message;	  /* bytes: the MTU on UD (of both sides once connected), else the port's limit */
	uint64_t recv_bytes;	  /* length of every receive: the largest message, and 40 bytes of GRH on UD */
	bool relaxed;		  /* the regions are registered with relaxed ordering */
	struct place_grid places; /* --data_validation: for messages of the size that was prepared last */
};

/* 0, -ENODEV (no device, or no device of that name), -EINVAL, or the errno of verbs. */
int device_open(struct device *device, const struct verbs_config *config);
void device_close(struct device *device);
/* Is it a device of libperftest_soft? */
bool device_is_software(const struct ibv_device_attr *attr);
/*
 * Link layer and GID by -x, --ipv6, --force-link and where the other side is. device_open() has done
 * it without the last (met is NULL), so that what can't work fails at once; it is done again with the agreed
 * parameters once both have met. With -R that may be another device, with a context of its own. 0 or -errno,
 * reported.
 */
int device_choose_address(struct device *device, const struct verbs_config *config, const struct addresses *met);
/* The path MTU that this side offers, bytes: -m, at most the port's active MTU. */
uint32_t device_mtu(const struct device *device, const struct verbs_config *config);
/*
 * The largest message that the device can carry in this test: the MTU on UD, else the port's
 * limit. An explicit -s above it is an error, -EMSGSIZE; otherwise the caller clips to *max.
 */
int device_max_message(const struct device *device, const struct verbs_config *config, uint64_t *max);

/* max_size: the largest message of the run (8 MiB with -a). */
int resources_open(struct resources *resources, const struct device *device, const struct verbs_config *config,
		   const struct meeting *meeting, uint64_t max_size);
int resources_connect(struct resources *resources, const struct endpoint *remote, unsigned num_remote);
/*
 * With -R and a peer of another suite: connects by what the connections themselves tell; mtu: the peer's, 0
 * unknown; port: where it listens. Afterwards its endpoints belong into resources->remote, and are seen.
 */
int resources_connect_unseen(struct resources *resources, uint32_t mtu, uint16_t port);
int resources_see_peer(struct resources *resources);
/* ... and when all is over, both sides take the connections down. */
void resources_part(struct resources *resources);
/*
 * Builds the work requests of every queue for messages of this size. No device object is created.
 * -EMSGSIZE: above max_message.
 */
int resources_prepare(struct resources *resources, uint64_t size);
void resources_close(struct resources *resources);

/* Do messages of this size go inline? */
bool resources_inlines(const struct resources *resources, uint64_t size);

/* "::ffff:10.0.0.1", for messages. Returns buffer. */
const char *gid_text(const union ibv_gid *gid, char *buffer, size_t size);

#endif
