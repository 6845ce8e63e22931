// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Moves QPs from INIT to RTS, with both endpoints. All attributes are filled in, and the QP type's row selects the
 * mask.
 */
#include <errno.h>
#include <string.h>

#include "util/log.h"
#include "util/stop.h"
#include "verbs/ability.h"
#include "verbs/connect/path.h"
#include "verbs/maker.h"
#include "verbs/qp/qp.h"
#include "verbs/qp/qp_attr.h"
#include "verbs/qp/qp_row.h"
#include "verbs/resources.h"

#define RNR_RETRY_ALWAYS 7

static int qp_connect_one(struct resources *resources, unsigned index, enum ibv_rate rate)
{
	const struct endpoint *remote = &resources->remote[qp_counterpart(resources, index)];
	const struct endpoint *local = &resources->local[index];
	struct ibv_qp *qp = qp_of(resources, index);
	const struct qp_steps *row = qp_row_of(resources, index);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR, .dest_qp_num = remote->qpn, .rq_psn = remote->psn};
	const struct qp_maker *maker = qp_maker_of(resources->traffic.transport);
	struct ibv_ah_attr address;
	int rts_mask = row->rts_mask;
	int err = 0;

	qp_fill_rtr(resources, index, &attr);
	qp_fill_address(resources, index, remote, rate, &attr.ah_attr);
	if (qp_needs_handle(resources, index)) {
		err = qp_open_address(resources, index, &attr.ah_attr, remote->qpn, QP_KEY);
		if (err)
			return err;
	}
	err = ibv_modify_qp(qp, &attr, row->rtr_mask);
	if (err)
		return qp_refused(resources, index, "ready-to-receive (RTR)", err);

	address = attr.ah_attr;
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS,
				    .sq_psn = local->psn,
				    .retry_cnt = QP_RETRY_COUNT,
				    .rnr_retry = RNR_RETRY_ALWAYS};
	qp_fill_rts(resources, &attr);
	if (maker && maker->rts_mask)
		rts_mask |= maker->rts_mask(resources_device(resources, index));
	err = path_add_alternate(resources, remote, &address, &attr, &rts_mask);
	if (err)
		return err;
	err = ibv_modify_qp(qp, &attr, rts_mask);
	if (err)
		return qp_refused(resources, index, "ready-to-send (RTS)", err);
	return 0;
}

/*
 * The static rate of --rate_limit with the hardware limiter; IBV_RATE_MAX if there is none. Unsupported values were
 * refused before.
 */
static enum ibv_rate choose_rate(const struct resources *resources)
{
	enum ibv_rate rate = IBV_RATE_MAX;

	if (resources->config->rate_gbits > 0 && resources->traffic.posts)
		(void)static_rate_from_gbits(resources->config->rate_gbits, &rate);
	return rate;
}

/*
 * Has the device accepted the rate for that QP? Otherwise the hardware does not limit it, or to another one that it has
 * (mlx5's driver takes the next in the numbers of verbs, which may even be faster).
 */
static int check_rate_of(const struct resources *resources, unsigned index, enum ibv_rate rate)
{
	const struct device *device = resources_device(resources, index);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {0};
	double taken = 0;

	if (ibv_query_qp(resources->tx[index].qp, &attr, IBV_QP_AV, &init) == 0) {
		if (attr.ah_attr.static_rate == rate)
			return 0;
		taken = static_rate_gbits((enum ibv_rate)attr.ah_attr.static_rate);
	}
	return ability_refuse_rate(device, resources->config, taken);
}

static int qp_check_rate(const struct resources *resources, enum ibv_rate rate)
{
	int err;

	if (rate == IBV_RATE_MAX)
		return 0;
	err = check_rate_of(resources, 0, rate);
	return err || !resources->device->second ? err : check_rate_of(resources, resources->num_qps / 2, rate);
}

static int qp_connect_all(struct resources *resources)
{
	const enum ibv_rate rate = choose_rate(resources);
	int err;

	for (unsigned i = 0; i < resources->num_endpoints; i++) {
		/* Such QPs were ready before the endpoints were exchanged. */
		if (!qp_row_of(resources, i)->rts_mask)
			continue;
		err = stop_requested() ? -EINTR : qp_connect_one(resources, i, rate);
		if (err)
			return err;
	}
	return qp_check_rate(resources, rate);
}

/*
 * Peers can only address a target in RTR. That state needs nothing from the peer's endpoint except its MTU;
 * connect_late() detects a smaller one.
 */
static int ready_targets(struct resources *resources)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};

	resources->late_mtu = resources->mtu;
	for (unsigned i = 0; i < resources->num_endpoints; i++) {
		const struct qp_steps *row = qp_row_of(resources, i);
		int err;

		if (row->rts_mask)
			continue;
		qp_fill_rtr(resources, i, &attr);
		qp_fill_address(resources, i, &resources->local[i], IBV_RATE_MAX, &attr.ah_attr);
		err = ibv_modify_qp(qp_of(resources, i), &attr, row->rtr_mask);
		if (err)
			return qp_refused(resources, i, "ready-to-receive (RTR)", err);
		resources->local[i].qpn = qp_of(resources, i)->qp_num;
		if (i >= resources->num_qps)
			resources->local[i - resources->num_qps].target_qpn = resources->local[i].qpn;
	}
	return 0;
}

static int connect_late(struct resources *resources)
{
	if (resources->mtu == resources->late_mtu)
		return qp_connect_all(resources);
	return log_fail(-EINVAL,
			"the other side's MTU is %u bytes and this side's %u, but the MTU of a %s target is fixed when "
			"it is created: give both sides the same -m",
			resources->mtu, resources->late_mtu, resources->traffic.transport->name);
}

const struct connector connector_endpoints = {.connect = qp_connect_all};

const struct connector connector_late = {.open = ready_targets, .connect = connect_late};

/*
 * --- raw packet QPs: to RTS, since there is no peer to connect to, with the service level (-S) if requested ---
 */

static int ready_one(const struct resources *resources, unsigned index)
{
	struct ibv_qp *qp = qp_of(resources, index);
	const struct frame_config *frames = &resources->config->frames;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
				   .ah_attr = {.sl = resources->config->sl, .port_num = resources->device->port}};
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
