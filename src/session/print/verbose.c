// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --verbose: what the program chose by itself, and why, one line per choice, once the queue pairs are connected and all
 * of it is settled. The device, the CPUs, which are chosen before, and the GID are reported where they are chosen.
 */
#include "session/print/print.h"

#include <math.h>

#include "memory/memory.h"
#include "session/measure/measurement.h"
#include "stats/clock.h"
#include "verbs/device/adapter.h"
#include "verbs/device/gid.h"
#include "verbs/maker.h"
#include "verbs/memory/mr.h"
#include "verbs/qp/qp.h"
#include "verbs/qp/qp_attr.h"

static void print_path(const struct session *session)
{
	const struct resources *resources = &session->resources;
	char path[256], hint[128] = "";

	if (!session->comm.traits->silent)
		log_detail("side channel: %s, with %s", comm_carrier_name(&session->comm), comm_peer(&session->comm));
	if (!session->device.is_software)
		gid_pair_hint(&resources->local[0], &resources->remote[0], session->device.gid_ifindex, hint,
			      sizeof(hint));
	log_detail("path: %s%s%s", qp_path_text(resources, 0, path, sizeof(path)), hint[0] ? "; " : "", hint);
}

static void print_mtu(const struct session *session)
{
	const struct resources *resources = &session->resources;
	const uint32_t offered = resources->local[0].mtu;

	if (resources->mtu < offered)
		log_detail("MTU: %u bytes, the %s; this side could do %u", resources->mtu,
			   resources->remote[0].mtu == resources->mtu ? "peer's" : "path's", offered);
	else
		log_detail("MTU: %u bytes, %s", resources->mtu,
			   session->params.verbs.mtu == offered ? "as --mtu says" : "the active one of the port");
}

static void print_posting(const struct session *session)
{
	const struct resources *resources = &session->resources;
	const struct adapter *adapter = adapter_of(&session->device.attr);
	const bool has_calls = adapter_has_calls(&session->device.attr);
	const char *why = adapter->calls_why;

	if (session->params.verbs.use_old_post_send)
		why = "as --use_old_post_send says";
	else if (session->params.verbs.use_wr_api)
		why = "as --use_wr_api says";
	else if (resources->wr_api)
		why = has_calls ? "the shorter path into its library" : "which this transport needs";
	else if (has_calls)
		why = "the device has no ibv_wr_* for this operation";
	log_detail("posting: %s, %s", resources->wr_api ? "ibv_wr_* calls" : "ibv_post_send()", why);
	log_detail("inline data: up to %u bytes, %u were asked for", resources->inline_size, resources->inline_asked);
}

static void print_doorbells(const struct session *session)
{
	struct ibv_qp *qp = session->resources.tx[0].qp;
	const bool is_asked = mlx5_ops.doorbell_bytes && session->traffic.posts && qp && !session->device.is_software;
	const int bytes = is_asked ? mlx5_ops.doorbell_bytes(&session->device, qp) : -1;

	if (bytes > 0)
		log_detail("doorbells: BlueFlame, which takes a request of up to %d bytes along", bytes);
	else if (bytes == 0)
		log_detail("doorbells: without BlueFlame, so the device reads even the smallest request from memory, "
			   "and latencies are longer: this host or virtual machine has no write-combining for it, or "
			   "MLX5_SHUT_UP_BF is set");
}

static void print_queues(const struct session *session)
{
	const struct resources *resources = &session->resources;
	const struct queue_set *set = &resources->sets[0];
	const char *wait = session->params.verbs.events ? "by completion events" : "polled";

	log_detail("queue pairs: %u, each of %u sends (%u asked for) and %u receives (%u asked for)",
		   resources->num_qps, resources->granted.max_send_wr, qp_send_depth(resources),
		   resources->granted.max_recv_wr, qp_recv_depth(resources));
	if (set->recv_cq)
		log_detail("completion queues: of %d entries for the sends and %d for the receives, %s",
			   set->send_cq->cqe, set->recv_cq->cqe, wait);
	else
		log_detail("completion queue: of %d entries for the sends, %s", set->send_cq->cqe, wait);
	if (session->traffic.pulls)
		log_detail("outstanding %ss: %u; this device can begin %d and answer %u, the peer can answer %u",
			   session->traffic.verb == VERB_READ ? "read" : "atomic", resources->outs,
			   session->device.attr.max_qp_init_rd_atom, resources->local[0].out_reads,
			   resources->remote[0].out_reads);
}

static void print_memory(const struct session *session)
{
	const struct resources *resources = &session->resources;

	log_detail("memory: %s, %u region%s of %llu bytes, by %s, %s ordering", resources->config->memory->name,
		   resources->num_buffers, resources->num_buffers == 1 ? "" : "s",
		   (unsigned long long)resources->mrs[0]->length, mr_way(resources),
		   resources->relaxed ? "relaxed" : "strict");
}

static void print_clock(void)
{
	const struct clock_calibration *clock = clock_calibrate();

	if (clock->fallback)
		log_detail("clock: clock_gettime(), because the CPU's counter is not there or not to be trusted");
	else
		log_detail("clock: the CPU's %s at %.3f MHz, at most %.2g ppm off CLOCK_MONOTONIC_RAW", clock->source,
			   clock->cycles_per_second / 1e6, clock->relative_error * 1e6);
}

void session_print_choices(const struct session *session)
{
	if (!log_is_verbose())
		return;
	print_path(session);
	print_mtu(session);
	print_posting(session);
	print_doorbells(session);
	print_queues(session);
	print_memory(session);
	print_clock();
}

void session_report_repeat(const struct session *session, const struct repeats *repeats, uint64_t size)
{
	const struct params *params = &session->params;
	const bool latency = session->traffic.metric == METRIC_LAT, has_goal = params->repeat.until_percent > 0;
	const double scale = latency ? 1e6 : params->report.gbits ? 1 / 125e6 : 1 / 1048576.0;
	const double figure = repeats->series.each[repeats->series.count - 1] * scale;

	if (isnan(figure))
		return;
	log_detail("measurement %u of %u%s of %llu bytes: %.2f %s", repeats->series.count, series_most(&params->repeat),
		   has_goal ? " at most" : "", (unsigned long long)size, figure,
		   latency		  ? "usec"
		   : params->report.gbits ? "Gb/sec"
					  : "MiB/sec");
}
