// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See pace.h. */
#include "verbs/qp/pace.h"

#include <errno.h>
#include <string.h>

#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/qp/qp_row.h"
#include "verbs/resources.h"
#include "verbs/verbs_config.h"

/* No device can say whether it paces QPs that its own library creates, whose type is not among the bits. */
static bool paces(const struct ibv_packet_pacing_caps *caps, enum ibv_qp_type type)
{
	return (unsigned)type < 32 && caps->supported_qpts & 1U << type && caps->qp_rate_limit_max;
}

/* The limit applies to all QPs together, as it does if the program enforces it. */
static uint32_t share_kbps(const struct verbs_config *config)
{
	const uint32_t share = config->pace.kbps / config->num_qps;

	return share ? share : 1; /* 0 would mean no limit */
}

int pace_check(const struct device *device, const struct verbs_config *config)
{
	const struct transport_traits *transport = transport_traits(config->transport);
	struct ibv_device_attr_ex attr = {0};
	const struct ibv_packet_pacing_caps *caps = &attr.packet_pacing_caps;
	uint32_t kbps;

	if (!config->pace.kbps || !config->traffic.posts)
		return 0;
	if (ibv_query_device_ex(device->context, NULL, &attr) || !paces(caps, qp_rows[transport->initiator_qp].type))
		return log_fail(-EOPNOTSUPP, "%s has no packet pacing for %s queue pairs; use --rate_limit_type=SW",
				device->name, transport->name);
	kbps = share_kbps(config);
	if (kbps >= caps->qp_rate_limit_min && kbps <= caps->qp_rate_limit_max)
		return 0;
	return log_fail(
		-ERANGE,
		"%s can pace a queue pair at %u to %u kbit/s, not at %u (--rate_limit); use --rate_limit_type=SW",
		device->name, caps->qp_rate_limit_min, caps->qp_rate_limit_max, kbps);
}

static int set_one(const struct resources *resources, unsigned index)
{
	const struct pace_config *pace = &resources->config->pace;
	const uint64_t burst = (uint64_t)pace->burst * resources->recv_bytes;
	struct ibv_qp *qp = resources->tx[index].qp;
	struct ibv_qp_rate_limit_attr attr = {.rate_limit = share_kbps(resources->config),
					      .max_burst_sz = burst < UINT32_MAX ? (uint32_t)burst : UINT32_MAX,
					      .typical_pkt_sz = pace->typical};
	const int err = ibv_modify_qp_rate_limit(qp, &attr);

	/* Whether a device supports bursts, as newer mlx5 devices do, cannot be queried. */
	if (err)
		log_error("%s does not accept %u kbit/s for QP 0x%06x%s: %s; use --rate_limit_type=SW",
			  resources_device(resources, index)->name, attr.rate_limit, qp->qp_num,
			  burst || pace->typical
				  ? " with --burst_size or --typical_pkt_size, which some devices do not support"
				  : "",
			  strerror(err));
	return -err;
}

int pace_set(const struct resources *resources)
{
	int err = 0;

	if (!resources->config->pace.kbps || !resources->traffic.posts)
		return 0;
	for (unsigned i = 0; !err && i < resources->num_qps; i++)
		err = set_one(resources, i);
	return err;
}
