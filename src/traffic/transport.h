/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The guarantees and requirements of each transport, one row per transport; code that would ask "is it RC?" or "is it
 * UD?" asks for the relevant property. The states of its queue pairs are rows in verbs/qp/qp_row.c.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

enum transport {
	TRANSPORT_RC,
	TRANSPORT_UC,
	TRANSPORT_UD,
	TRANSPORT_XRC,
	TRANSPORT_DC,
	TRANSPORT_SRD,
	TRANSPORT_RAW_ETHERNET,
	TRANSPORT_COUNT,
};

/* Kinds of queue pairs: verbs has one type, IBV_QPT_DRIVER, for all provider-specific ones. */
enum qp_kind {
	QP_KIND_RC,
	QP_KIND_UC,
	QP_KIND_UD,
	QP_KIND_XRC_SEND,
	QP_KIND_XRC_RECV,
	QP_KIND_DCI,
	QP_KIND_DCT,
	QP_KIND_SRD,
	QP_KIND_RAW_PACKET,
	QP_KIND_COUNT,
};

/* Which devices have queue pairs of that kind? */
enum maker {
	MADE_BY_VERBS, /* any device may have them */
	MADE_BY_MLX5,  /* NVIDIA's adapters, with mlx5dv */
	MADE_BY_EFA,   /* Amazon's EFA, with efadv */
};

#define TRANSPORT_BIT(transport) (1U << (transport))

struct transport_traits {
	const char *name;	   /* as for -c: "RC" */
	enum qp_kind initiator_qp; /* on the side that posts; differs from the target's with XRC and DC */
	enum qp_kind target_qp;	   /* on the side that receives messages */
	enum maker maker;
	bool reliable;	   /* each message arrives once, or its sender gets an error */
	bool ordered;	   /* messages arrive in the order in which they were posted */
	bool repeats;	   /* the network may deliver a message more than once */
	bool by_handle;	   /* a work request contains its destination: address handle, number, key */
	bool knows_source; /* ... and the target of RDMA needs an address handle of the initiator, too */
	bool datagram;	   /* ... and there is no connection */
	bool multicast;	   /* ... which may be a group */
	bool one_packet;   /* a message is one packet: the MTU is the maximum size */
	bool needs_srq;	   /* the target's receives are in a shared receive queue, which a request names */
	bool own_receives; /* the target has receives of its own: no shared ones */
	bool signals_all;  /* only signalled requests are accepted */
	/* struct ibv_send_wr cannot hold both the destination and remote memory: ibv_wr_*() posts these. */
	bool names_both;
	bool frames;		    /* a message is an Ethernet frame with its headers; there is no connection */
	bool xrc_domain;	    /* that queue and the target's QPs belong to an XRC domain */
	bool late_endpoint;	    /* what a peer addresses exists only once the target is in RTR (DC) */
	bool rdma_cm;		    /* rdma_cm can connect it (-R) */
	bool iwarp;		    /* supported by iWARP: over a TCP connection (RFC 5040) */
	uint32_t recv_header_bytes; /* before a message in its receive: the global route header (o9-40) */
	/* of a message's size, added and removed by the adapter: the frame check sequence */
	uint32_t trailer_bytes;
	/* in each packet of a request, beside the BTH; of DC it is not published, and counts as 0 */
	uint32_t request_header_bytes;
	bool unpublished; /* the format of its packets */
};

const struct transport_traits *transport_traits(enum transport transport);
/* The one that sends to multicast groups. */
enum transport transport_of_groups(void);

/* Does the n-th receive completion belong to the n-th message that was posted? */
static inline bool transport_counts(const struct transport_traits *traits)
{
	return traits->reliable && traits->ordered;
}
