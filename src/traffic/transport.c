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
};

const struct transport_traits *transport_traits(enum transport transport)
{
	return &rows[transport];
}
