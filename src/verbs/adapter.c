// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See adapter.h. From the sources of rdma-core 65 and of the kernel's drivers; docs/adapters.md says it for users. */
#include "verbs/adapter.h"

#include <stddef.h>

#include "traffic/transport.h"

#define NO_CALLS "its provider library has none, or a longer path for them"

static const struct adapter adapters[] = {
	{
		.vendor = 0x02c9,
		.name = "mlx5",
		.calls = true,
		.tells_order = true,
		.hidden_atomics = true, /* Connect-IB: big-endian values */
		.null_rkey = true,	/* linux-rdma perftest relies on it */
	},
	{
		.vendor = 0x1d0f,
		.name = "EFA",
		.calls = true,
		.tells_order = true,
		.datagrams_only = true,
		.signals_all = true,
		.inline_latency = 32,
	},
	{.vendor = 0x19e5, .name = "hns", .calls = true, .inline_latency = 32},
	{
		.vendor = 0x14e4,
		.name = "bnxt_re",
		.calls_why = "its provider library writes wrong requests with them",
		.inline_latency = 96,
	},
	{.vendor = 0x1dd8, .name = "ionic", .calls_why = NO_CALLS},
	{.vendor = 0x1414, .name = "mana", .calls_why = NO_CALLS, .no_inline = true},
	{.vendor = 0x8086,
	 .first_part = 0x37cd,
	 .last_part = 0x37d3,
	 .name = "i40iw",
	 .calls_why = NO_CALLS,
	 .inline_latency = 48},
	{.vendor = 0x8086, .name = "irdma", .calls_why = NO_CALLS, .iwarp_imm = true, .inline_latency = 101},
	{.vendor = 0x1425,
	 .first_part = 0x6000,
	 .last_part = 0x6fff,
	 .name = "T6",
	 .calls_why = NO_CALLS,
	 .iwarp_imm = true},
	/* FastLinQ 45000, "E4" of linux-rdma perftest. */
	{.vendor = 0x1077,
	 .first_part = 0x1634,
	 .last_part = 0x1666,
	 .name = "qedr",
	 .calls_why = NO_CALLS,
	 .inline_latency = 128},
	{.vendor = 0x1ded, .name = "erdma", .calls_why = NO_CALLS, .inline_latency = 96},
	{.vendor = 0x504654, .name = "soft", .calls_why = "the shorter path on the software device"},
	{.name = "", .calls_why = NO_CALLS},
};

const struct adapter *adapter_of(const struct ibv_device_attr *attr)
{
	const struct adapter *row = adapters;

	while (row->vendor &&
	       (row->vendor != attr->vendor_id ||
		(row->last_part && (attr->vendor_part_id < row->first_part || attr->vendor_part_id > row->last_part))))
		row++;
	return row;
}

bool adapter_signals_all(const struct ibv_device_attr *attr, const struct transport_traits *transport)
{
	return adapter_of(attr)->signals_all || transport->signals_all;
}
