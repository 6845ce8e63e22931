// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prepares raw packet QPs: moves them to RTS, since there is no peer to connect to, and sets the service level (-S), if
 * requested.
 */
#include <string.h>

#include "util/log.h"
#include "verbs/connector.h"
#include "verbs/qp/qp.h"
#include "verbs/qp/qp_attr.h"
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

	if (err && frames->has_sl)
		return log_fail(-err,
				"%s does not accept a service level for raw packet queue pairs (-S %u): %s; --vlan_pcp "
				"sets a priority in the frames",
				resources->device->name, resources->config->sl, strerror(err));
	if (!err) {
		attr.qp_state = IBV_QPS_RTS;
		step = "ready-to-send (RTS)";
		err = ibv_modify_qp(qp, &attr, qp_mask(resources, index, IBV_QPS_RTS));
	}
	if (err)
		log_error("%s refuses %s of QP 0x%06x: %s", resources->device->name, step, qp->qp_num, strerror(err));
	return -err;
}

static int ready_all(struct resources *resources)
{
	int err = 0;

	for (unsigned i = 0; !err && !resources->rss && i < resources->num_qps; i++)
		err = ready_one(resources, i);
	return err;
}

const struct connector connector_frames = {.connect = ready_all};
