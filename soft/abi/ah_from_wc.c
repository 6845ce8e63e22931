// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Address handles for answering a datagram, created from a completion and the 40 bytes of network header before the
 * data (InfiniBand architecture 1.3, 11.2.2.2; the RoCE v2 annex A17 for the two forms of the header). Called through
 * export.c.
 */
#include <arpa/inet.h>

#include "abi/abi.h"

#define GRH_VERSION_SHIFT 28
#define GRH_VERSION_IPV6  6
#define GRH_CLASS_SHIFT	  20
#define GRH_FLOW_MASK	  0xfffffu
#define GRH_IPV4_OFFSET	  20 /* an IPv4 header fills the second half of the 40 bytes */
#define IPV4_CLASS_OFFSET 1
#define IPV4_SADDR_OFFSET 12
#define IPV4_DADDR_OFFSET 16
#define AH_HOP_LIMIT	  0xff

static bool has_ipv4_form(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)(const void *)gid);
}

/*
 * The index of the GID to answer from, or -1: the one that the datagram was sent to, which must be of this port; or, to
 * a datagram for a group, one of the same form as the sender's.
 */
static int gid_index_find(struct ibv_context *context, uint8_t port, const union ibv_gid *receiver,
			  const union ibv_gid *sender)
{
	const bool is_group = soft_is_multicast(receiver);
	union ibv_gid candidate;
	int index;

	for (index = 0; !soft_query_gid(context, port, index, &candidate); index++)
		if (is_group ? has_ipv4_form(&candidate) == has_ipv4_form(sender)
			     : !memcmp(&candidate, receiver, sizeof(candidate)))
			return index;
	return -1;
}

int soft_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, struct ibv_grh *grh,
			 struct ibv_ah_attr *attr)
{
	uint32_t first = ntohl(grh->version_tclass_flow);
	const uint8_t *ipv4 = (const uint8_t *)grh + GRH_IPV4_OFFSET;
	struct ibv_ah_attr answer = {.is_global = 1, .port_num = port, .sl = wc->sl, .dlid = wc->slid};
	union ibv_gid receiver;
	int index;

	/* Without a header (RoCE always has one) there is no address to answer to. */
	if (!(wc->wc_flags & IBV_WC_GRH))
		return soft_minus_one(EINVAL);
	if (first >> GRH_VERSION_SHIFT == GRH_VERSION_IPV6) {
		receiver = grh->dgid;
		answer.grh.dgid = grh->sgid;
		answer.grh.flow_label = first & GRH_FLOW_MASK;
		answer.grh.traffic_class = (uint8_t)(first >> GRH_CLASS_SHIFT);
	} else {
		receiver = soft_gid_of_ipv4(ipv4 + IPV4_DADDR_OFFSET);
		answer.grh.dgid = soft_gid_of_ipv4(ipv4 + IPV4_SADDR_OFFSET);
		answer.grh.traffic_class = ipv4[IPV4_CLASS_OFFSET];
	}
	index = gid_index_find(context, port, &receiver, &answer.grh.dgid);
	if (index < 0)
		return soft_minus_one(EINVAL);
	answer.grh.sgid_index = (uint8_t)index;
	answer.grh.hop_limit = AH_HOP_LIMIT;
	*attr = answer;
	return 0;
}

struct ibv_ah *soft_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
	struct ibv_ah_attr attr;

	return soft_init_ah_from_wc(pd->context, port, wc, grh, &attr) ? NULL : soft_create_ah(pd, &attr);
}
