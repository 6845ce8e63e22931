// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The transports (InfiniBand Architecture Specification 1.3, section 9.7 on); see transport.h. */
#include "traffic/transport.h"

/* clang-format off */
static const struct transport_traits rows[TRANSPORT_COUNT] = {
	[TRANSPORT_RC] = {.name = "RC", .initiator_qp = QP_KIND_RC, .target_qp = QP_KIND_RC, .reliable = true,
		.ordered = true, .rdma_cm = true, .iwarp = true},
	[TRANSPORT_UC] = {.name = "UC", .initiator_qp = QP_KIND_UC, .target_qp = QP_KIND_UC, .ordered = true},
	[TRANSPORT_UD] = {.name = "UD", .initiator_qp = QP_KIND_UD, .target_qp = QP_KIND_UD, .repeats = true,
		.by_handle = true, .datagram = true, .multicast = true, .one_packet = true, .rdma_cm = true,
		.recv_header_bytes = 40, .request_header_bytes = 8}, /* DETH */
	[TRANSPORT_XRC] = {.name = "XRC", .initiator_qp = QP_KIND_XRC_SEND, .target_qp = QP_KIND_XRC_RECV,
		.reliable = true, .ordered = true, .needs_srq = true, .xrc_domain = true,
		.request_header_bytes = 4}, /* XRCETH */
	[TRANSPORT_DC] = {.name = "DC", .initiator_qp = QP_KIND_DCI, .target_qp = QP_KIND_DCT, .maker = MADE_BY_MLX5,
		.reliable = true, .ordered = true, .by_handle = true, .needs_srq = true, .names_both = true,
		.late_endpoint = true},
	[TRANSPORT_SRD] = {.name = "SRD", .initiator_qp = QP_KIND_SRD, .target_qp = QP_KIND_SRD, .maker = MADE_BY_EFA,
		.reliable = true, .by_handle = true, .knows_source = true, .datagram = true, .own_receives = true,
		.signals_all = true, .names_both = true, .unpublished = true},
	[TRANSPORT_RAW_ETHERNET] = {.name = "RawEth", .initiator_qp = QP_KIND_RAW_PACKET,
		.target_qp = QP_KIND_RAW_PACKET, .ordered = true, .repeats = true, .one_packet = true, .frames = true,
		.trailer_bytes = 4},
};
/* clang-format on */

const struct transport_traits *transport_traits(enum transport transport)
{
	return &rows[transport];
}

enum transport transport_of_groups(void)
{
	enum transport transport = 0;

	while (!rows[transport].multicast)
		transport++;
	return transport;
}
