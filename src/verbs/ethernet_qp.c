// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prepares raw packet QPs: moves them to RTS, since there is no peer to connect to, and sets the service level (-S) and
 * the rate at which the device sends (--rate_limit_type=PP), if requested.
 */
#include <errno.h>
#include <string.h>

#include "util/log.h"
#include "verbs/connector.h"
#include "verbs/qp.h"
#include "verbs/resources.h"

static int ready_one(const struct resources *resources, unsigned index)
{
	struct ibv_qp *qp = qp_of(resources, index);
	const struct frame_config *frames = &resources->config->frames;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.ah_attr = {.sl = resources->config->sl, .port_num = resources->device->port},
	};
	const char *step = "ready-to-receive (RTR)";
	int err = ibv_modify_qp(qp, &attr, qp_mask(resources, index, IBV_QPS_RTR) | (frames->has_sl ? IBV_QP_AV : 0));

	if (err && frames->has_sl) {
		log_error("%s does not accept a service level for raw packet queue pairs (-S %u): %s; --vlan_pcp sets "
			  "a priority in the frames",
			  resources->device->name, resources->config->sl, strerror(err));
		return -err;
	}
	if (!err) {
		attr.qp_state = IBV_QPS_RTS;
		step = "ready-to-send (RTS)";
		err = ibv_modify_qp(qp, &attr, qp_mask(resources, index, IBV_QPS_RTS));
	}
	if (err)
		log_error("%s refuses %s of QP 0x%06x: %s", resources->device->name, step, qp->qp_num, strerror(err));
	return -err;
}

/* Can the device pace raw packet QPs at this rate? 0 or -errno, reported. */
static int check_pace(const struct resources *resources, uint32_t kbps)
{
	struct ibv_device_attr_ex attr = {0};
	const struct ibv_packet_pacing_caps *caps = &attr.packet_pacing_caps;

	if (ibv_query_device_ex(resources->device->context, NULL, &attr) ||
	    !(caps->supported_qpts & 1U << qp_of(resources, 0)->qp_type) || !caps->qp_rate_limit_max) {
		log_error("%s has no packet pacing for raw packet queue pairs; use --rate_limit_type=SW",
			  resources->device->name);
		return -EOPNOTSUPP;
	}
	if (kbps >= caps->qp_rate_limit_min && kbps <= caps->qp_rate_limit_max)
		return 0;
	log_error("%s can pace a queue pair at %u to %u kbit/s, not at %u (--rate_limit); use --rate_limit_type=SW",
		  resources->device->name, caps->qp_rate_limit_min, caps->qp_rate_limit_max, kbps);
	return -ERANGE;
}

static int set_pace(const struct resources *resources, struct ibv_qp *qp, uint32_t kbps)
{
	const struct frame_config *frames = &resources->config->frames;
	const uint64_t burst = (uint64_t)frames->pace_burst * resources->recv_bytes;
	struct ibv_qp_rate_limit_attr attr = {
		.rate_limit = kbps,
		.max_burst_sz = burst < UINT32_MAX ? (uint32_t)burst : UINT32_MAX,
		.typical_pkt_sz = frames->pace_typical,
	};
	const int err = ibv_modify_qp_rate_limit(qp, &attr);

	/* Whether a device supports bursts, as newer mlx5 devices do, cannot be queried. */
	if (err)
		log_error("%s does not accept %u kbit/s for QP 0x%06x%s: %s; use --rate_limit_type=SW",
			  resources->device->name, kbps, qp->qp_num,
			  burst || frames->pace_typical
				  ? " with --burst_size or --typical_pkt_size, which some devices do not support"
				  : "",
			  strerror(err));
	return -err;
}

/* The limit applies to all QPs together, as it does if the program enforces it. */
static int pace_all(const struct resources *resources)
{
	const uint32_t share = resources->config->frames.pace_kbps / resources->num_qps;
	const uint32_t kbps = share ? share : 1; /* 0 would mean no limit */
	int err;

	if (!resources->config->frames.pace_kbps || !resources->traffic.posts)
		return 0;
	err = check_pace(resources, kbps);
	for (unsigned i = 0; !err && i < resources->num_qps; i++)
		err = set_pace(resources, resources->tx[i].qp, kbps);
	return err;
}

static int ready_all(struct resources *resources)
{
	int err = 0;

	for (unsigned i = 0; !err && !resources->rss && i < resources->num_qps; i++)
		err = ready_one(resources, i);
	return err ? err : pace_all(resources);
}

static int frames_open(struct resources *resources)
{
	(void)resources;
	return 0;
}

static void frames_close(struct resources *resources)
{
	(void)resources;
}

const struct connector connector_frames = {
	.open = frames_open,
	.connect = ready_all,
	.close = frames_close,
};
