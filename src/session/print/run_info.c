// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The header of a run, from the device's attributes and the agreed parameters. */
#include "session/print/print.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "memory/memory.h"
#include "report/provenance.h"
#include "session/group/member.h"
#include "session/steps.h"
#include "stats/clock.h"
#include "verbs/device/gid.h"
#include "verbs/device/hardware.h"
#include "verbs/device/software.h"
#include "verbs/memory/mr.h"

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

/* A classic peer's ping-pongs by number have one sample less than exchanges. */
static uint64_t samples(const struct session *session)
{
	const struct params *params = &session->params;

	if (session->traffic.metric == METRIC_STEERING && !params_by_time(params))
		return params->test.iters * params->queues.num_qps;
	if (!session->traffic.samples || params_by_time(params) || params_repeats(params))
		return 0;
	if (session->traffic.bursts)
		return params->test.iters / params->ethernet.reply_every;
	return params->test.iters - (!session->comm.traits->first_is_no_sample && session->traffic.peer_measures);
}

/* The registration requested it; libibverbs and the kernel drop it silently. */
static const char *relaxed_ordering(const struct resources *resources, const struct hardware *hardware)
{
	struct utsname kernel = {0};

	if (!resources->relaxed)
		return "OFF";
	uname(&kernel);
	return hardware_relaxed_ordering(hardware, kernel.release);
}

/* Own figures without a requested peak: on a side that only receives, or with several threads. */
static bool lacks_peak(const struct session *session)
{
	const struct traffic *traffic = &session->traffic;
	const bool receives = traffic->arrivals && traffic->target && !traffic->posts;
	const bool by_threads = session->params.verbs.num_threads > 1 && traffic->measures;

	return traffic->metric == METRIC_BW && (receives || by_threads) && !session->params.test.no_peak &&
	       !session->params.verbs.data_validation;
}

static const char *gpu_of(const struct params *params, char *text, size_t size)
{
	const enum gpu_type which = params_accelerator(params);

	if (which == GPU_TYPES)
		return NULL;
	if (params->memory.gpu[which].bus_id[0])
		return params->memory.gpu[which].bus_id;
	snprintf(text, size, "%d", params->memory.gpu[which].index);
	return text;
}

static uint64_t registered_bytes(const struct resources *resources)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < resources->num_buffers; i++)
		bytes += resources->buffers[i].length;
	return bytes;
}

static void identify(const struct session *session, struct device_identity *identity)
{
	device_identify(&session->device, identity);
	identity->memory = session->params.verbs.memory->name;
}

void session_write_provenance(const struct session *session, char *text, size_t size)
{
	struct device_identity identity = {.name = ""};

	if (session->device.context) /* with rdma_cm it may be known only with the address */
		identify(session, &identity);
	provenance_write(&identity, text, size);
}

int session_open_report(struct session *session)
{
	struct report_config *config = &session->params.report;
	int ret;

	config->spec = &session->params.spec;
	config->verbs = &session->params.verbs;
	config->path = &session->path;
	config->values = &session->params;
	ret = session->client_number ? report_number_file(config, session->client_number) : 0;
	return ret ? ret : report_open(&session->report, config);
}

int session_report_info(struct session *session)
{
	const struct device *device = &session->device;
	const struct resources *resources = &session->resources;
	const bool has_gid = device->gid_index >= 0;
	const struct traffic *traffic = &session->traffic;
	/* As in linux-rdma perftest, for which a ping-pong of frames is bidirectional. */
	const bool both = traffic->transport->frames && traffic->metric == METRIC_LAT;
	struct hardware hardware;
	struct report_info run_info;
	char gpu[16], gid[64], measures[96], second[96];

	if (device->second)
		snprintf(second, sizeof(second), "port %u of %s", device->second->port, device->second->name);
	device_hardware(device, &hardware);
	run_info = (struct report_info){
		.software_measures = device->is_software
					     ? software_measures(traffic->transport->frames, measures, sizeof(measures))
					     : NULL,
		.transport_type = transport_type(device),
		.link_type = device->ethernet ? "Ethernet" : "IB",
		.mtu = resources->mtu,
		.gid_index = device->gid_index,
		.second = device->second ? second : NULL,
		.second_gid_index = device->second ? device->second->gid_index : -1,
		.gid = has_gid ? gid_text(&device->gid, gid, sizeof(gid)) : NULL,
		.gid_type = has_gid ? gid_kind_text(device->gid_kind) : NULL,
		.inline_size = resources->inline_size,
		.outs = resources->outs,
		.wr_api = resources->wr_api,
		.pcie_relaxed = relaxed_ordering(resources, &hardware),
		.memory_way = mr_way(resources),
		.memory_bytes = registered_bytes(resources),
		.gpu = gpu_of(&session->params, gpu, sizeof(gpu)),
		.rocm_buffer = params_accelerator(&session->params) == GPU_AMD ? resources->buffers[0].addr : NULL,
		.data_exchange = comm_carrier_name(&session->comm),
		.clock_fallback = clock_calibrate()->fallback,
		.clock_step_ns = 1e9 / clock_calibrate()->cycles_per_second,
		.sends = both || traffic->initiator,
		.receives = both || (traffic->arrivals && traffic->target),
		.lacks_peak = lacks_peak(session),
		.samples = samples(session),
		.run_id = session->peer.run_id,
		.peer = comm_peer(&session->comm),
		.peer_host = session->peer.host,
		.peer_version = session->peer.version,
		.peer_provenance = session->peer.provenance,
	};
	identify(session, &run_info.device);
	if (session->member)
		member_keep_info(session, &run_info);
	return report_header(session->report, &run_info);
}
