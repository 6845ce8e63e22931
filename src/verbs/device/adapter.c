// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See adapter.h. From the sources of rdma-core 65 and of the kernel's drivers; docs/adapters.md says it for users. */
#include "verbs/device/adapter.h"

#include <dlfcn.h>
#include <stddef.h>

#include "traffic/transport.h"
#include "verbs/device/software.h"

#define NO_CALLS "its provider library has none, or a longer path for them"

/* enum efa_io_comp_status (rdma-core, providers/efa/efa_io_defs.h). */
static const struct vendor_error efa_errors[] = {
	[1] = {"FLUSHED", NULL},
	[2] = {"LOCAL_ERROR_QP_INTERNAL_ERROR", "the device failed within the queue pair; see dmesg"},
	[3] = {"LOCAL_ERROR_UNSUPPORTED_OP", "the device does not have this operation"},
	[4] = {"LOCAL_ERROR_INVALID_AH", "the device does not know the address handle of the peer"},
	[5] = {"LOCAL_ERROR_INVALID_LKEY", NULL},
	[6] = {"LOCAL_ERROR_BAD_LENGTH", "the message is longer than the device supports; try a smaller -s"},
	[7] = {"REMOTE_ERROR_BAD_ADDRESS", NULL},
	[8] = {"REMOTE_ERROR_ABORT", "the peer's device reset the connection"},
	[9] = {"REMOTE_ERROR_BAD_DEST_QPN", "the peer's queue pair does not exist any more, or is in the error state: "
					    "its program has ended or failed"},
	[10] = {"REMOTE_ERROR_RNR", NULL},
	[11] = {"REMOTE_ERROR_BAD_LENGTH",
		"the message is longer than the peer's receive; give both sides the same -s"},
	[12] = {"REMOTE_ERROR_BAD_STATUS", "the peer's device answered with a status that this device does not expect"},
	[13] = {"LOCAL_ERROR_UNRESP_REMOTE", "the peer answered earlier requests, and then no more: its host is gone, "
					     "or the path to it"},
	[14] = {"REMOTE_ERROR_UNKNOWN_PEER", "the peer has created no address handle of this side, without which its "
					     "EFA answers no RDMA requests"},
	[15] = {"LOCAL_ERROR_UNREACH_REMOTE", "the peer has never answered: both need a security group that allows all "
					      "traffic from and to itself, and the same subnet"},
	[18] = {"REMOTE_ERROR_FEATURE_MISMATCH", "the peer's queue pair has other features; give both sides "
						 "--unsolicited_write, or neither"},
};

/* clang-format off */
static const struct adapter adapters[] = {
	/* ConnectX to ConnectX-3, whose library does not answer what the next row says */
	{.vendor = 0x02c9, .first_part = 0x1002, .last_part = 0x1010, .name = "mlx4", .calls_why = NO_CALLS,
		.log_outs = true},
	{.vendor = 0x02c9, .first_part = 0x6340, .last_part = 0x676e, .name = "mlx4", .calls_why = NO_CALLS,
		.log_outs = true},
	{.vendor = 0x02c9, .name = "mlx5", .calls = true, .answers_order = true, .log_outs = true,
		.reorders = true, .null_rkey = true}, /* linux-rdma perftest relies on it */
	{.vendor = PCI_AMAZON, .name = "EFA", .calls = true, .answers_order = true, .datagrams_only = true,
		.signals_all = true, .inline_latency = 32, .errors = efa_errors,
		.num_errors = sizeof(efa_errors) / sizeof(efa_errors[0])},
	{.vendor = PCI_HUAWEI, .name = "hns", .calls = true,
		.calls_why = "its provider library, of rdma-core 51 or older, marks requests wrongly with them",
		.calls_corrupt = true,
		.calls_library = "libhns.so.1", /* has that name since rdma-core 52, which also has the mend */
		.log_outs = true, .packet_inline = true, .inline_piece = 16, .inline_latency = 32},
	{.vendor = PCI_BROADCOM, .name = "bnxt_re", .calls_why = "its provider library writes wrong requests with them",
		.calls_corrupt = true, .srq_spare = true, .inline_latency = 96},
	{.vendor = 0x1dd8, .name = "ionic", .calls_why = NO_CALLS},
	{.vendor = PCI_MICROSOFT, .name = "mana", .calls_why = NO_CALLS, .no_inline = true, .max_message = 1 << 24,
		.most_reads = 128}, /* a page of receives for their answers */
	{.vendor = PCI_INTEL, .first_part = 0x37cd, .last_part = 0x37d3, .name = "i40iw", .calls_why = NO_CALLS,
		.no_reset = true, .inline_latency = 48},
	{.vendor = PCI_INTEL, .name = "irdma", .calls_why = NO_CALLS, .no_reset = true, .iwarp_imm = true,
		.inline_latency = 101},
	{.vendor = 0x1425, .first_part = 0x6000, .last_part = 0x6fff, .name = "T6", .calls_why = NO_CALLS,
		.iwarp_imm = true},
	/* FastLinQ 45000 and 41000, "E4" and "AH" of linux-rdma perftest. */
	{.vendor = 0x1077, .first_part = 0x1629, .last_part = 0x1666, .name = "qedr", .calls_why = NO_CALLS,
		.no_xrc_inline = true, .inline_latency = 128},
	{.vendor = 0x1077, .first_part = 0x8070, .last_part = 0x8190, .name = "qedr", .calls_why = NO_CALLS,
		.no_xrc_inline = true},
	{.vendor = 0x1ded, .name = "erdma", .calls_why = NO_CALLS, .iwarp_imm = true, .iwarp_send_imm = true,
		.inline_latency = 96},
	{.vendor = 0x504654, .name = "soft", .calls_why = "the shorter path on the software device"},
	{.name = "", .calls_why = NO_CALLS},
};
/* clang-format on */

const struct adapter *adapter_of(const struct ibv_device_attr *attr)
{
	const struct adapter *row = adapters;

	while (row->vendor &&
	       (row->vendor != attr->vendor_id ||
		(row->last_part && (attr->vendor_part_id < row->first_part || attr->vendor_part_id > row->last_part))))
		row++;
	return row;
}

bool adapter_has_calls(const struct ibv_device_attr *attr)
{
	const struct adapter *adapter = adapter_of(attr);
	void *library;

	if (!adapter->calls_library || device_is_software(attr))
		return adapter->calls;
	library = dlopen(adapter->calls_library, RTLD_LAZY | RTLD_NOLOAD);
	if (library)
		dlclose(library);
	return adapter->calls && library;
}

const struct vendor_error *adapter_error(const struct ibv_device_attr *attr, uint32_t vendor_err)
{
	const struct adapter *adapter = adapter_of(attr);

	return vendor_err < adapter->num_errors && adapter->errors[vendor_err].name ? &adapter->errors[vendor_err]
										    : NULL;
}

uint32_t adapter_outs(const struct ibv_device_attr *attr, uint32_t outs)
{
	while (adapter_of(attr)->log_outs && outs & (outs - 1))
		outs &= outs - 1;
	return outs;
}

bool adapter_signals_all(const struct ibv_device_attr *attr, const struct transport_traits *transport)
{
	return adapter_of(attr)->signals_all || transport->signals_all;
}
