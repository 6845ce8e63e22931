/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does a transport promise, and what does it need? One row per transport; code that would ask "is it RC?" or
 * "is it UD?" asks for the property that is meant. The states of its queue pairs are rows in verbs/qp_row.c.
 */
#ifndef TRAFFIC_TRANSPORT_H
#define TRAFFIC_TRANSPORT_H

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

/* Queue pairs by what they are: verbs has one type, IBV_QPT_DRIVER, for all that providers make. */
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

/* Who has queue pairs of that kind? */
enum maker {
	MADE_BY_VERBS, /* any device may */
	MADE_BY_MLX5,  /* NVIDIA's adapters, by mlx5dv */
	MADE_BY_EFA,   /* Amazon's EFA, by efadv */
};

#define TRANSPORT_BIT(transport) (1U << (transport))

struct transport_traits {
	const char *name;	   /* as -c has it: "RC" */
	enum qp_kind initiator_qp; /* of the side that posts; differs from the target's for XRC and DC */
	enum qp_kind target_qp;	   /* of the side that messages go to */
	enum maker maker;
	bool reliable;	   /* each message arrives once, or its sender sees an error */
	bool ordered;	   /* messages that arrive do so in the order in which they were posted */
	bool repeats;	   /* the network may deliver a message more than once */
	bool by_handle;	   /* a work request names its destination: address handle, number, key */
	bool datagram;	   /* ... and nothing is connected on its way */
	bool multicast;	   /* ... which may be a group */
	bool one_packet;   /* a message is one packet: the MTU is its largest size */
	bool needs_srq;	   /* the target's receives are in a shared receive queue, which a request names */
	bool own_receives; /* the target's receives are its own: there are no shared ones */
	bool signals_all;  /* no request is taken that asks for no completion */
	/* struct ibv_send_wr has room for the destination or for memory there: where both are named, ibv_wr_*() posts.
	 */
	bool names_both;
	bool frames;		    /* a message is an Ethernet frame with its headers; nothing is connected */
	bool xrc_domain;	    /* that queue and the target's QPs are of an XRC domain */
	bool late_endpoint;	    /* what a peer addresses exists only once the target is in RTR (DC) */
	bool rdma_cm;		    /* rdma_cm connects it (-R) */
	bool iwarp;		    /* iWARP has it: what goes over a TCP connection (RFC 5040) */
	uint32_t recv_header_bytes; /* in front of a message in its receive: the global route header (o9-40) */
	uint32_t trailer_bytes;	    /* of a message's size, that the adapter adds and takes away: the check sequence */
};

const struct transport_traits *transport_traits(enum transport transport);
/* That which sends to multicast groups. */
enum transport transport_of_groups(void);

/* Is what the a-th receive completes the a-th message that was posted? */
static inline bool transport_counts(const struct transport_traits *traits)
{
	return traits->reliable && traits->ordered;
}

#endif
