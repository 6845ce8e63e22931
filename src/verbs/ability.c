// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See ability.h. */
#include "verbs/ability.h"

#include <errno.h>

#include "util/log.h"
#include "verbs/device.h"
#include "verbs/verbs_config.h"

#define MELLANOX_VENDOR 0x02c9

/* mlx5 says NONE as well of a Connect-IB, which has them and answers in big-endian order: its figures are right. */
static bool has_atomics(const struct ibv_device_attr *attr)
{
	return attr->atomic_cap != IBV_ATOMIC_NONE || attr->vendor_id == MELLANOX_VENDOR;
}

int ability_check_verb(const struct device *device, const struct verbs_config *config)
{
	if (config->traffic.verb != VERB_ATOMIC || has_atomics(&device->attr))
		return 0;
	log_error("%s has no atomic operations, which this test is made of: its atomic_cap is IBV_ATOMIC_NONE",
		  device->name);
	return -EOPNOTSUPP;
}

static bool is_iwarp(const struct device *device)
{
	return device->context->device->transport_type == IBV_TRANSPORT_IWARP;
}

static bool has_imm(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

int ability_check_transport(const struct device *device, const struct verbs_config *config)
{
	const struct transport_traits *transport = transport_traits(config->transport);

	if (transport->xrc_domain && !(device->attr.device_cap_flags & IBV_DEVICE_XRC)) {
		log_error("%s has no XRC (extended reliable connections); use another transport", device->name);
		return -EOPNOTSUPP;
	}
	if (device->datagrams_only && !transport->datagram && !transport->frames) {
		log_error("%s has no %s, but only datagrams%s", device->name, transport->name,
			  config->datagram_hint ? config->datagram_hint : "");
		return -EOPNOTSUPP;
	}
	if (is_iwarp(device) && !transport->iwarp && !transport->frames) {
		log_error("%s is an iWARP device, which has no %s, but only RC", device->name, transport->name);
		return -EOPNOTSUPP;
	}
	if (is_iwarp(device) && has_imm(config->traffic.opcode)) {
		log_error("%s is an iWARP device, which has no immediate data, and this test sends it", device->name);
		return -EOPNOTSUPP;
	}
	/* MPA, which connects two iWARP queue pairs (RFC 5044), is spoken by rdma_cm alone. */
	if (is_iwarp(device) && !config->rdma_cm && !transport->frames) {
		log_error("%s is an iWARP device, whose queue pairs only rdma_cm connects%s", device->name,
			  config->cm_hint ? config->cm_hint : "");
		return -EOPNOTSUPP;
	}
	return 0;
}
