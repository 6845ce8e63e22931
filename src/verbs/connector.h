/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ways to connect QPs that are in INIT, and to move them to RTS. perftest_resources.c chooses a struct connector by the
 * parameters. Failures are reported here.
 */
#pragma once

struct resources;

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
extern const struct connector connector_frames;	   /* ethernet_qp.c: no peer to connect to */
extern const struct connector connector_group;	   /* multicast.c: a side receives from a group, or sends to one */
extern const struct connector connector_cm;	   /* cm_connect.c: with rdma_cm (-R) */
