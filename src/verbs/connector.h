/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do queue pairs in INIT find their peers and get ready to send? One struct connector per way, which
 * perftest_resources.c chooses by the parameters. Failures are reported here.
 */
#ifndef VERBS_CONNECTOR_H
#define VERBS_CONNECTOR_H

struct resources;

struct connector {
	/* Before endpoints travel; may add to the local ones. 0 or -errno. */
	int (*open)(struct resources *resources);
	/* The remote endpoints are known. RTR and RTS, address handles on UD. 0 or -errno. */
	int (*connect)(struct resources *resources);
	/* After connect, where the endpoints came only then: what they alone tell. NULL: such a peer can't be. */
	int (*learn_remote)(struct resources *resources);
	/* When such a test is over. */
	void (*disconnect)(struct resources *resources);
	/* Before the queue pairs are destroyed; also after a failure, and twice. */
	void (*close)(struct resources *resources);
};

extern const struct connector
	connector_endpoints;			/* qp_connect.c: both sides move their queue pairs by the endpoints */
extern const struct connector connector_late;	/* likewise, but that targets are ready first (late_endpoint) */
extern const struct connector connector_frames; /* ethernet_qp.c: there is no peer to connect to */
extern const struct connector connector_group;	/* multicast.c: a side receives from a group, or sends to one */
extern const struct connector connector_cm;	/* cm_connect.c: rdma_cm connects them (-R) */

#endif
