// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attributes of QPs that depend on the parameters and both endpoints. See qp_attr.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/log.h"
#include "util/terminal.h"
#include "verbs/device/device.h"
#include "verbs/device/gid.h"
#include "verbs/device/mtu.h"
#include "verbs/maker.h"
#include "verbs/qp/qp.h"
#include "verbs/qp/qp_attr.h"
#include "verbs/qp/qp_row.h"
#include "verbs/resources.h"

#define MIN_RNR_TIMER 12  /* 0.64 ms */
#define HOP_LIMIT     255 /* as in linux-rdma perftest: the number of routers is no reason to fail */

unsigned qp_counterpart(const struct resources *resources, unsigned endpoint)
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
	__be16 pkey;

	if (device->ethernet || device->port_attr.link_layer != IBV_LINK_LAYER_INFINIBAND ||
	    resources->config->rdma_cm || ibv_query_pkey(device->context, device->port, (int)pkey_index, &pkey))
		return;
	text_add(text, size, ", P_Key 0x%04x", ntohs(pkey));
}

const char *qp_path_text(const struct resources *resources, unsigned index, char *text, size_t size)
{
	const struct verbs_config *config = resources->config;
	const struct endpoint *remote = &resources->remote[qp_counterpart(resources, index)];
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
			 config->rdma_cm && config->retry_count < QP_RETRY_COUNT ? config->retry_count : QP_RETRY_COUNT,
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
		snprintf(text, size, ": the device does not accept one of the attributes; try %s%s",
			 verbs_config_names(config)->gid_or_mtu,
			 config->rate_gbits > 0 ? ", or another rate limit" : "");
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
	const struct endpoint *remote = &resources->remote[qp_counterpart(resources, index)];
	const struct device *device = resources_device(resources, index);
	char path[256], meaning[128], hint[128] = "";

	if (!device->is_software && err != ENETUNREACH /* which says it */)
		gid_pair_hint(local, remote, device->gid_ifindex, hint, sizeof(hint));
	return log_fail(-err,
			"%s refuses %s of QP 0x%06x: %s%s%s%s\n%s, port %u, SL %u, traffic class %u, P_Key index %u",
			device->name, step, local->qpn, strerror(err),
			path_error_meaning(resources->config, err, meaning, sizeof(meaning)), hint[0] ? "; " : "", hint,
			qp_path_text(resources, index, path, sizeof(path)), device->port, resources->config->sl,
			resources->config->tclass, resources->config->pkey_index);
}

int qp_move_datagrams(const struct resources *resources, unsigned index, struct ibv_qp *qp, const uint32_t *qkey)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR, .qkey = qkey ? *qkey : 0};
	int err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | (qkey ? IBV_QP_QKEY : 0));

	if (err)
		return qp_refused(resources, index, "ready-to-receive (RTR)", err);
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .sq_psn = resources->local[index].psn};
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return err ? qp_refused(resources, index, "ready-to-send (RTS)", err) : 0;
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
