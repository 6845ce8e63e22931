// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The transports (InfiniBand Architecture Specification 1.3, section 9.7 on); see transport.h. */
#include "traffic/transport.h"

static const struct transport_traits rows[TRANSPORT_COUNT] = {
	[TRANSPORT_RC] =
		{
			.name = "RC",
			.initiator_qp = IBV_QPT_RC,
			.target_qp = IBV_QPT_RC,
			.reliable = true,
			.ordered = true,
			.rdma_cm = true,
			.iwarp = true,
		},
	[TRANSPORT_UC] =
		{
			.name = "UC",
			.initiator_qp = IBV_QPT_UC,
			.target_qp = IBV_QPT_UC,
			.ordered = true,
		},
	[TRANSPORT_UD] =
		{
			.name = "UD",
			.initiator_qp = IBV_QPT_UD,
			.target_qp = IBV_QPT_UD,
			.repeats = true,
			.datagram = true,
			.one_packet = true,
			.rdma_cm = true,
			.recv_header_bytes = 40,
		},
	[TRANSPORT_XRC] =
		{
			.name = "XRC",
			.initiator_qp = IBV_QPT_XRC_SEND,
			.target_qp = IBV_QPT_XRC_RECV,
			.reliable = true,
			.ordered = true,
			.needs_srq = true,
			.xrc_domain = true,
		},
	[TRANSPORT_RAW_ETHERNET] =
		{
			.name = "RawEth",
			.initiator_qp = IBV_QPT_RAW_PACKET,
			.target_qp = IBV_QPT_RAW_PACKET,
			.ordered = true,
			.repeats = true,
			.one_packet = true,
			.frames = true,
			.trailer_bytes = 4,
		},
};

const struct transport_traits *transport_traits(enum transport transport)
{
	return &rows[transport];
}
