// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Moves QPs from INIT to RTS, with both endpoints. All attributes are filled in, and the QP type's row selects the
 * mask.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/log.h"
#include "util/stop.h"
#include "verbs/ability.h"
#include "verbs/connect/path.h"
#include "verbs/connect/static_rate.h"
#include "verbs/connector.h"
#include "verbs/device/gid_pair.h"
#include "verbs/device/mtu.h"
#include "verbs/maker.h"
#include "verbs/qp/qp.h"
#include "verbs/qp/qp_row.h"
#include "verbs/resources.h"

#define RETRY_COUNT	 7
#define RNR_RETRY_ALWAYS 7
#define MIN_RNR_TIMER	 12  /* 0.64 ms */
#define HOP_LIMIT	 255 /* as in linux-rdma perftest: the number of routers is no reason to fail */

/*
 * The index of the peer's endpoint that an endpoint of this side is connected to: initiators to targets, and vice
 * versa.
 */
static unsigned counterpart(const struct resources *resources, unsigned endpoint)
{
	return resources->targets ? (endpoint + resources->num_qps) % resources->num_endpoints : endpoint;
}

int qp_mask(const struct resources *resources, unsigned endpoint, enum ibv_qp_state state)
{
	const struct qp_steps *row = qp_row_of(resources, endpoint);

	return state == IBV_QPS_RTR ? row->rtr_mask : row->rts_mask;
}

uint32_t qp_flow_label(const struct verbs_config *config, unsigned index)
{
	return config->num_flow_labels ? config->flow_labels[index % config->num_flow_labels] : 0;
}

void qp_fill_address(const struct resources *resources, unsigned index, const struct endpoint *remote,
		     enum ibv_rate rate, struct ibv_ah_attr *attr)
{
	const struct verbs_config *config = resources->config;
	const struct device *device = resources_device(resources, index);

	*attr = (struct ibv_ah_attr){
		.dlid = remote->lid,
		.sl = config->sl,
		.src_path_bits = config->src_path_bits,
		.port_num = device->port,
		.static_rate = (uint8_t)rate,
	};
	if (device->gid_index < 0)
		return;
	attr->is_global = 1;
	attr->grh.sgid_index = (uint8_t)device->gid_index;
	attr->grh.hop_limit = HOP_LIMIT;
	attr->grh.traffic_class = config->tclass;
	attr->grh.flow_label = qp_flow_label(config, index);
	memcpy(attr->grh.dgid.raw, remote->gid, sizeof(remote->gid));
}

/*
 * A partition of another number drops the packets, and so does a port where both sides are limited members. On Ethernet
 * the P_Key is the same everywhere, and with rdma_cm it comes from the path record.
 */
static void add_pkey(const struct resources *resources, unsigned index, char *text, size_t size)
{
	const struct device *device = resources_device(resources, index);
	const unsigned pkey_index = resources->config->pkey_index;
	const size_t used = strlen(text);
	__be16 pkey;

	if (device->ethernet || device->port_attr.link_layer != IBV_LINK_LAYER_INFINIBAND ||
	    resources->config->rdma_cm || ibv_query_pkey(device->context, device->port, (int)pkey_index, &pkey))
		return;
	snprintf(text + used, size - used, ", P_Key 0x%04x", ntohs(pkey));
}

const char *qp_path_text(const struct resources *resources, unsigned index, char *text, size_t size)
{
	const struct verbs_config *config = resources->config;
	const struct endpoint *remote = &resources->remote[counterpart(resources, index)];
	const char *option = verbs_config_names(config)->ack_timeout;
	char here[96], there[96], given[16] = "", timeout[64] = "";

	if (resources->traffic.transport->frames) {
		snprintf(text, size, "raw Ethernet, QP 0x%06x, MTU %u", qp_of(resources, index)->qp_num,
			 resources->mtu);
		return text;
	}
	if (option)
		snprintf(given, sizeof(given), " (%s %u)", option, config->qp_timeout);
	if (resources->traffic.transport->reliable && !resources->traffic.transport->datagram && config->qp_timeout)
		snprintf(timeout, sizeof(timeout), ", %d retries after %.3g ms each%s",
			 config->rdma_cm && config->retry_count < RETRY_COUNT ? config->retry_count : RETRY_COUNT,
			 4.096e-3 * (double)(1ULL << config->qp_timeout), given);
	snprintf(text, size, "from %s to %s, QP 0x%06x, MTU %u%s",
		 gid_pair_end(&resources->local[index], here, sizeof(here)), gid_pair_end(remote, there, sizeof(there)),
		 remote->qpn, resources->mtu, timeout);
	add_pkey(resources, index, text, size);
	return text;
}

/* What an errno of the kernel means for the path. */
static const char *path_error_meaning(const struct verbs_config *config, int err, char *text, size_t size)
{
	switch (err) {
	case ETIMEDOUT:
	case EHOSTUNREACH:
		return ": the peer's address is not resolved (ARP, IPv6 neighbour discovery); is its interface up and "
		       "in the same network?";
	case ENETUNREACH:
		return ": this host has no route to the peer's address";
	case ENODEV:
	case ENETDOWN:
	case EADDRNOTAVAIL:
		return ": the interface of this side's GID is down or has lost the address";
	case EINVAL:
		snprintf(text, size, ": the device does not accept one of the attributes; try %s",
			 verbs_config_names(config)->gid_or_mtu);
		return text;
	case EACCES:
	case EPERM:
		return ": the route to the peer's address forbids it";
	default:
		return "";
	}
}

/* step: the state that the QP was to reach, or on UD the address handle. */
int qp_refused(const struct resources *resources, unsigned index, const char *step, int err)
{
	const struct endpoint *local = &resources->local[index];
	const struct endpoint *remote = &resources->remote[counterpart(resources, index)];
	const struct device *device = resources_device(resources, index);
	char path[256], meaning[128], hint[128] = "";

	if (!device->is_software && err != ENETUNREACH /* which says it */)
		gid_pair_hint(local, remote, device->gid_ifindex, hint, sizeof(hint));
	log_error("%s refuses %s of QP 0x%06x: %s%s%s%s\n%s, port %u, SL %u, traffic class %u, P_Key index %u",
		  device->name, step, local->qpn, strerror(err),
		  path_error_meaning(resources->config, err, meaning, sizeof(meaning)), hint[0] ? "; " : "", hint,
		  qp_path_text(resources, index, path, sizeof(path)), device->port, resources->config->sl,
		  resources->config->tclass, resources->config->pkey_index);
	return -err;
}

void qp_fill_rtr(const struct resources *resources, unsigned index, struct ibv_qp_attr *attr)
{
	attr->path_mtu = mtu_enum(resources->mtu);
	attr->max_dest_rd_atomic = (uint8_t)resources->local[index].out_reads;
	attr->min_rnr_timer = MIN_RNR_TIMER;
}

void qp_fill_rts(const struct resources *resources, struct ibv_qp_attr *attr)
{
	attr->timeout = resources->config->qp_timeout;
	attr->max_rd_atomic = (uint8_t)resources->outs;
}

int qp_open_address(struct resources *resources, unsigned index, struct ibv_ah_attr *attr, uint32_t qpn, uint32_t qkey)
{
	struct tx_queue *tx = &resources->tx[index];

	tx->ah = ibv_create_ah(resources_pd(resources, index), attr);
	if (!tx->ah)
		return qp_refused(resources, index, "an address handle for the peer", errno ? errno : EIO);
	tx->remote_qpn = qpn;
	tx->remote_qkey = qkey;
	return 0;
}

bool qp_needs_handle(const struct resources *resources, unsigned endpoint)
{
	const struct transport_traits *transport = resources->traffic.transport;

	return transport->by_handle && (resources->traffic.posts || transport->knows_source) &&
	       qp_kind_of(resources, endpoint) == transport->initiator_qp;
}

void qp_name_destination(const struct resources *resources, unsigned index)
{
	const struct qp_maker *maker = qp_maker_of(resources->traffic.transport);
	const struct verbs_config *config = resources->config;
	struct tx_queue *tx = &resources->tx[index];
	const int log_streams = config->log_active_dci_streams == CONFIG_AUTO ? config->log_dci_streams
									      : config->log_active_dci_streams;

	if (!maker)
		return;
	tx->address.set = maker->set_address;
	tx->address.ah = tx->ah;
	tx->address.number = resources_target(resources, index)->qpn;
	tx->address.key = maker->key;
	tx->address.streams = config->log_dci_streams ? 1U << log_streams : 0;
	tx->qp->qp_context = &tx->address;
}

static int qp_connect_one(struct resources *resources, unsigned index, enum ibv_rate rate)
{
	const struct endpoint *remote = &resources->remote[counterpart(resources, index)];
	const struct endpoint *local = &resources->local[index];
	struct ibv_qp *qp = qp_of(resources, index);
	const struct qp_steps *row = qp_row_of(resources, index);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.dest_qp_num = remote->qpn,
		.rq_psn = remote->psn,
	};
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
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.sq_psn = local->psn,
		.retry_cnt = RETRY_COUNT,
		.rnr_retry = RNR_RETRY_ALWAYS,
	};
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

/* Has the device accepted the rate for that QP? Otherwise the hardware does not limit it. */
static int check_rate_of(const struct resources *resources, unsigned index, enum ibv_rate rate)
{
	const struct device *device = resources_device(resources, index);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {0};

	if (ibv_query_qp(resources->tx[index].qp, &attr, IBV_QP_AV, &init) == 0 && attr.ah_attr.static_rate == rate)
		return 0;
	return ability_refuse_rate(device, resources->config);
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

static int open_nothing(struct resources *resources)
{
	(void)resources;
	return 0;
}

static int connect_late(struct resources *resources)
{
	if (resources->mtu == resources->late_mtu)
		return qp_connect_all(resources);
	log_error("the other side's MTU is %u bytes and this side's %u, but the MTU of a %s target is fixed when it is "
		  "created: give both sides the same -m",
		  resources->mtu, resources->late_mtu, resources->traffic.transport->name);
	return -EINVAL;
}

static void close_nothing(struct resources *resources)
{
	(void)resources;
}

const struct connector connector_endpoints = {
	.open = open_nothing,
	.connect = qp_connect_all,
	.close = close_nothing,
};

const struct connector connector_late = {
	.open = ready_targets,
	.connect = connect_late,
	.close = close_nothing,
};
