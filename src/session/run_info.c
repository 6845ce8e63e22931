// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What does the header say of this run? From the device's answers and the agreed parameters. */
#include "session/run_info.h"

#include <sys/utsname.h>

#include "session/affinity.h"
#include "stats/clock.h"
#include "util/sysfs.h"
#include "verbs/gid.h"
#include "verbs/hardware.h"

static const char *transport_type(const struct device *device)
{
	switch (device->context->device->transport_type) {
	case IBV_TRANSPORT_IB:
		return "IB";
	case IBV_TRANSPORT_IWARP:
		return "IW";
	default:
		return "Unknown";
	}
}

/* A machine with one node is all of it; with more of them a device may be of none. */
static int numa_node(const struct device *device)
{
	return device->numa_node < 0 && session_last_node() == 0 ? 0 : device->numa_node;
}

/* A classic peer's ping-pongs by number have one sample less than exchanges. */
static uint64_t samples(const struct session *session)
{
	const struct params *params = &session->params;

	if (session->traffic.metric == METRIC_STEERING && !params_by_time(params))
		return params->test.iters * params->queues.num_qps;
	if (session->traffic.metric != METRIC_LAT || !session->loop || params_by_time(params))
		return 0;
	return params->test.iters - (!session->comm.traits->first_is_no_sample && session->traffic.peer_measures);
}

/* The registration asked for it; libibverbs and the kernel drop it without a word. */
static const char *relaxed_ordering(const struct resources *resources, const struct hardware *hardware)
{
	struct utsname kernel = {0};

	if (!resources->relaxed)
		return "OFF";
	uname(&kernel);
	return hardware_relaxed_ordering(hardware, kernel.release);
}

int session_report_info(struct session *session)
{
	const struct device *device = &session->device;
	const struct resources *resources = &session->resources;
	const struct params *params = &session->params;
	const bool has_gid = device->gid_index >= 0;
	const struct traffic *traffic = &session->traffic;
	const bool receives = traffic->arrivals && traffic->target;
	struct hardware hardware;
	struct report_info run_info;
	char gid[64];

	hardware_find(&hardware, sysfs_root(), device->name, device->port, device->is_software);
	run_info = (struct report_info){
		.device = device->name,
		.is_software = device->is_software,
		.transport_type = transport_type(device),
		.link_type = device->ethernet ? "Ethernet" : "IB",
		.mtu = resources->mtu,
		.gid_index = device->gid_index,
		.gid = has_gid ? gid_text(&device->gid, gid, sizeof(gid)) : NULL,
		.gid_type = has_gid ? gid_kind_text(device->gid_kind) : NULL,
		.inline_size = resources->inline_size,
		.outs = resources->outs,
		.wr_api = resources->wr_api,
		.pcie_relaxed = relaxed_ordering(resources, &hardware),
		.link_gbits = hardware.link_gbits,
		.link_lanes = hardware.link_lanes,
		.driver = hardware.driver,
		.firmware = device->attr.fw_ver,
		.pci_address = hardware.address,
		.pcie_rate = hardware.pcie_rate,
		.pcie_lanes = hardware.pcie_lanes,
		.data_exchange = comm_carrier_name(&session->comm),
		.numa_node = numa_node(device),
		.clock_fallback = clock_calibrate()->fallback,
		.sends = traffic->initiator,
		.receives = receives,
		.lacks_peak = receives && traffic->metric == METRIC_BW && !traffic->posts && !params->report.no_peak &&
			      !params->test.data_validation,
		.samples = samples(session),
		.peer = session->comm.conn.peer,
		.peer_host = session->peer.host,
		.peer_version = session->peer.version,
	};

	return report_header(session->report, &run_info);
}
