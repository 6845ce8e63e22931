// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One row per type of queue pair says which attributes each step of its life needs (InfiniBand Architecture
 * Specification 1.3, table 95); the code fills all and picks by the row.
 */
#include "verbs/qp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory.h"
#include "util/log.h"
#include "verbs/ability.h"
#include "verbs/connector.h"
#include "verbs/gid_pair.h"
#include "verbs/locked_memory.h"
#include "verbs/mtu.h"
#include "verbs/path.h"
#include "verbs/resources.h"
#include "verbs/static_rate.h"

#define RETRY_COUNT	 7
#define RNR_RETRY_ALWAYS 7
#define MIN_RNR_TIMER	 12  /* 0.64 ms */
#define HOP_LIMIT	 255 /* as every perftest has it: routers on the way are no reason to fail */

static const struct qp_states {
	int init_mask;
	int rtr_mask;
	int rts_mask;
	int inline_latency; /* bytes that latency tests ask for: what a send of this kind leaves free in 256 */
} qp_rows[] = {
	[IBV_QPT_RC] =
		{
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			.rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
			.inline_latency = 236,
		},
	[IBV_QPT_UC] =
		{
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			.rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN,
			.inline_latency = 236,
		},
	[IBV_QPT_UD] =
		{
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
			.rtr_mask = IBV_QP_STATE,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN,
			.inline_latency = 188,
		},
	[IBV_QPT_RAW_PACKET] =
		{
			.init_mask = IBV_QP_STATE | IBV_QP_PORT,
			.rtr_mask = IBV_QP_STATE,
			.rts_mask = IBV_QP_STATE,
			.inline_latency = 236,
		},
	[IBV_QPT_XRC_SEND] =
		{
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			.rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
			.inline_latency = 236,
		},
	[IBV_QPT_XRC_RECV] =
		{
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			.rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT,
		},
};

static const struct qp_states *qp_states_row(const struct ibv_qp *qp)
{
	return &qp_rows[qp->qp_type];
}

struct ibv_qp *qp_of(const struct resources *resources, unsigned endpoint)
{
	return endpoint < resources->num_qps ? resources->tx[endpoint].qp
					     : resources->targets[endpoint - resources->num_qps];
}

/* The number of the peer's endpoint that an endpoint of this side is connected with: initiators with targets. */
static unsigned counterpart(const struct resources *resources, unsigned endpoint)
{
	return resources->targets ? (endpoint + resources->num_qps) % resources->num_endpoints : endpoint;
}

uint32_t qp_send_depth(const struct resources *resources)
{
	uint32_t depth = resources->config->tx_depth;

	if (!resources->traffic.posts)
		return 1;
	if (resources->traffic.metric == METRIC_LAT && depth < TX_MIN_LATENCY_DEPTH)
		return TX_MIN_LATENCY_DEPTH;
	return depth;
}

uint32_t qp_recv_depth(const struct resources *resources)
{
	return resources->traffic.receives ? resources->rx_depth : 0;
}

static int check_limit(const struct device *device, const char *option, uint32_t asked, int limit)
{
	if (asked <= (uint32_t)limit)
		return 0;
	log_error("%s %u is more than %s allows: at most %d", option, asked, device->name, limit);
	return -EINVAL;
}

int qp_check_limits(struct resources *resources)
{
	const struct device *device = resources->device;
	const int most_receives = resources->config->shares_receives ? device->attr.max_srq_wr : device->attr.max_qp_wr;
	int err;

	err = ability_check_verb(device, resources->config);
	if (!err)
		err = ability_check_transport(device, resources->config);
	if (err)
		return err;
	/* The default may be more than the device allows; what was asked for may not. */
	resources->rx_depth = resources->config->rx_depth;
	if (!resources->config->rx_depth_is_given && resources->rx_depth > (uint32_t)most_receives)
		resources->rx_depth = (uint32_t)most_receives;

	err = check_limit(device, "--qp", resources->num_qps, device->attr.max_qp);
	if (!err)
		err = check_limit(device, "--tx-depth", qp_send_depth(resources), device->attr.max_qp_wr);
	if (!err)
		err = check_limit(device, "--rx-depth", qp_recv_depth(resources), most_receives);
	return err;
}

/* --- creation --- */

static uint64_t send_operations(enum ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_SEND_WITH_IMM:
		return IBV_QP_EX_WITH_SEND_WITH_IMM;
	case IBV_WR_RDMA_WRITE:
		return IBV_QP_EX_WITH_RDMA_WRITE;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	case IBV_WR_RDMA_READ:
		return IBV_QP_EX_WITH_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	default:
		return IBV_QP_EX_WITH_SEND;
	}
}

/* What a queue pair is asked for, and what it granted. */
struct shape {
	bool wr_api;
	uint32_t inline_size;
};

/* A target of an XRC domain has no queues of its own. */
static struct ibv_qp *create_target(const struct resources *resources)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = resources->traffic.transport->target_qp,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = resources->xrcd,
	};

	return ibv_create_qp_ex(resources->device->context, &attr);
}

static struct ibv_qp *qp_create(const struct resources *resources, const struct queue_set *set, struct shape shape,
				struct ibv_qp_cap *granted)
{
	const bool is_target = !resources->traffic.posts && !resources->traffic.splits;
	const bool has_receives = !resources->config->shares_receives;
	uint32_t recv_depth = qp_recv_depth(resources);
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = set->send_cq,
		.recv_cq = set->recv_cq ? set->recv_cq : set->send_cq,
		.cap.max_send_wr = qp_send_depth(resources),
		.srq = resources->xrcd ? NULL : set->rx[0].srq,
		.cap.max_recv_wr = recv_depth ? recv_depth * has_receives : has_receives,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = has_receives,
		.cap.max_inline_data = shape.inline_size,
		.qp_type = is_target ? resources->traffic.transport->target_qp
				     : resources->traffic.transport->initiator_qp,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = resources->pd,
		.send_ops_flags = send_operations(resources->traffic.opcode),
	};
	struct ibv_qp_init_attr plain;
	struct ibv_qp *qp;

	errno = 0;
	if (is_target && resources->traffic.transport->xrc_domain) {
		*granted = (struct ibv_qp_cap){0};
		return create_target(resources);
	}
	if (shape.wr_api) {
		qp = ibv_create_qp_ex(resources->device->context, &attr);
		*granted = attr.cap;
		return qp;
	}
	plain = (struct ibv_qp_init_attr){.send_cq = attr.send_cq,
					  .recv_cq = attr.recv_cq,
					  .srq = attr.srq,
					  .cap = attr.cap,
					  .qp_type = attr.qp_type};
	qp = ibv_create_qp(resources->pd, &plain);
	*granted = plain.cap;
	return qp;
}

/*
 * Devices refuse an inline size that they can't do but do not tell what they can: *inline_size
 * becomes the largest accepted between 0 and what was asked, by halving.
 */
static bool accepts(const struct resources *resources, bool wr_api, uint32_t *inline_size)
{
	uint32_t refused = *inline_size;
	uint32_t accepted = 0;
	uint32_t tried = refused;

	for (;;) {
		struct ibv_qp_cap granted;
		struct ibv_qp *qp = qp_create(resources, &resources->sets[0], (struct shape){wr_api, tried}, &granted);

		if (qp) {
			ibv_destroy_qp(qp);
			accepted = granted.max_inline_data < tried ? granted.max_inline_data : tried;
			if (tried == *inline_size || granted.max_inline_data < tried)
				break;
		} else {
			if (tried == 0)
				return false;
			/* The size is only to blame if 0 is accepted. */
			if (tried == *inline_size) {
				tried = 0;
				continue;
			}
			refused = tried;
		}
		if (refused - accepted <= 1)
			break;
		tried = accepted + (refused - accepted) / 2;
	}
	*inline_size = accepted;
	return true;
}

static uint32_t wanted_inline(const struct resources *resources)
{
	const struct verbs_config *config = resources->config;

	/* The CPU copies inline data, which takes memory that it can load from. */
	if (!resources->traffic.posts || resources->traffic.pulls || resources->config->memory->is_far)
		return 0;
	if (config->inline_size >= 0)
		return (uint32_t)config->inline_size;
	if (resources->traffic.metric != METRIC_LAT)
		return 0;
	/* A write carries a remote address, 16 bytes, in place of data. */
	return (uint32_t)qp_rows[resources->traffic.transport->initiator_qp].inline_latency -
	       (resources->traffic.verb == VERB_WRITE ? 16 : 0);
}

/* Finds out what the device does, once, before the queue pairs are made. */
static int settle_shape(struct resources *resources, struct shape *shape)
{
	uint32_t wanted = wanted_inline(resources);
	/*
	 * ibv_wr_*() is the shorter way into a NIC's driver. The software device builds requests for
	 * ibv_post_send() from its calls, so there it is the longer one: 100 instructions more a message. bench/ asks
	 * for it by the environment, to count what the program itself spends.
	 */
	bool prefers_wr_api = !resources->config->use_old_post_send && !resources->traffic.transport->frames &&
			      (!resources->device->is_software || getenv("PERFTEST_SOFT_WR_API"));
	char advice[512];
	struct shape settled = {.wr_api = prefers_wr_api, .inline_size = wanted};
	int err;

	if (settled.wr_api && !accepts(resources, true, &settled.inline_size))
		settled = (struct shape){.wr_api = false, .inline_size = wanted};
	if (!settled.wr_api && !accepts(resources, false, &settled.inline_size)) {
		err = errno ? -errno : -EIO;
		log_error("cannot create %s QP on %s (max_send_wr %u, max_recv_wr %u): %s%s",
			  resources->traffic.transport->name, resources->device->name, qp_send_depth(resources),
			  qp_recv_depth(resources), strerror(-err),
			  err == -EPERM && resources->traffic.transport->frames
				  ? "; raw packet queue pairs take CAP_NET_RAW"
				  : locked_memory_advice(resources->device, -err, 0, advice, sizeof(advice)));
		return err;
	}
	if (settled.inline_size < wanted && resources->config->inline_size >= 0)
		log_warning("%s sends at most %u bytes inline, not the %u of --inline_size", resources->device->name,
			    settled.inline_size, wanted);
	*shape = settled;
	return 0;
}

/* What the peer may do through the queue pair. */
unsigned qp_access_flags(const struct resources *resources)
{
	switch (resources->traffic.verb) {
	case VERB_READ:
		return IBV_ACCESS_REMOTE_READ;
	case VERB_ATOMIC:
		return IBV_ACCESS_REMOTE_ATOMIC;
	default:
		return IBV_ACCESS_REMOTE_WRITE;
	}
}

int qp_to_init(const struct resources *resources, struct ibv_qp *qp)
{
	const struct verbs_config *config = resources->config;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = config->pkey_index,
		.port_num = resources->device->port,
		.qp_access_flags = qp_access_flags(resources),
		.qkey = QP_KEY,
	};
	int err = ibv_modify_qp(qp, &attr, qp_states_row(qp)->init_mask);

	if (err)
		log_error("%s: cannot modify QP to INIT (port %u, P_Key index %u): %s", resources->device->name,
			  resources->device->port, config->pkey_index, strerror(err));
	return -err;
}

/* With what else this side needs for its messages and the peer's. */
static int qp_open_one(struct resources *resources, unsigned index, struct shape shape)
{
	struct tx_queue *tx = &resources->tx[index];
	char advice[512];
	struct ibv_qp_cap granted;
	int err;

	tx->qp = qp_create(resources, queue_set_of(resources->sets, index), shape, &granted);
	if (!tx->qp) {
		err = errno ? -errno : -EIO;
		log_error("cannot create more QPs on %s, after %u of %u: %s; lower --qp%s", resources->device->name,
			  index, resources->num_qps, strerror(-err),
			  locked_memory_advice(resources->device, -err, 0, advice, sizeof(advice)));
		return err;
	}
	if (!resources->config->shares_receives)
		resources->rx[index].qp = tx->qp;
	if (shape.wr_api && resources->traffic.posts)
		tx->qpx = ibv_qp_to_qp_ex(tx->qp);
	if (granted.max_inline_data < resources->inline_size)
		resources->inline_size = granted.max_inline_data;
	resources->granted = granted;
	err = qp_to_init(resources, tx->qp);
	if (err || !resources->targets)
		return err;
	errno = 0;
	resources->targets[index] = create_target(resources);
	if (resources->targets[index])
		return qp_to_init(resources, resources->targets[index]);
	err = errno ? -errno : -EIO;
	log_error("%s gives no more target queue pairs of its XRC domain after %u of %u: %s; lower --qp",
		  resources->device->name, index, resources->num_qps, strerror(-err));
	return err;
}

static int check_pkey(const struct resources *resources)
{
	const struct device *device = resources->device;

	if (resources->config->pkey_index < device->port_attr.pkey_tbl_len || device->port_attr.pkey_tbl_len == 0)
		return 0;
	log_error("--pkey_index %u: port %u of %s has the P_Keys 0 to %u", resources->config->pkey_index, device->port,
		  device->name, device->port_attr.pkey_tbl_len - 1U);
	return -EINVAL;
}

int qp_open(struct resources *resources)
{
	struct shape shape;
	int err;

	err = check_pkey(resources);
	if (err)
		return err;
	err = settle_shape(resources, &shape);
	if (err)
		return err;
	resources->wr_api = shape.wr_api;
	resources->inline_asked = wanted_inline(resources);
	resources->inline_size = shape.inline_size;
	for (unsigned i = 0; i < resources->num_qps; i++) {
		err = qp_open_one(resources, i, shape);
		if (err)
			return err;
	}
	return 0;
}

/* --- connection --- */

uint32_t qp_flow_label(const struct verbs_config *config, unsigned index)
{
	return config->num_flow_labels ? config->flow_labels[index % config->num_flow_labels] : 0;
}

void qp_fill_address(const struct resources *resources, unsigned index, const struct endpoint *remote,
		     enum ibv_rate rate, struct ibv_ah_attr *attr)
{
	const struct verbs_config *config = resources->config;
	const struct device *device = resources->device;

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

const char *qp_path_text(const struct resources *resources, unsigned index, char *text, size_t size)
{
	const struct verbs_config *config = resources->config;
	const struct endpoint *remote = &resources->remote[counterpart(resources, index)];
	char here[96], there[96], timeout[64] = "";

	if (resources->traffic.transport->frames) {
		snprintf(text, size, "raw Ethernet, QP 0x%06x, MTU %u", qp_of(resources, index)->qp_num,
			 resources->mtu);
		return text;
	}
	if (resources->traffic.transport->reliable && config->qp_timeout)
		snprintf(timeout, sizeof(timeout), ", %d retries after %.3g ms each (-u %u)",
			 config->rdma_cm && config->retry_count < RETRY_COUNT ? config->retry_count : RETRY_COUNT,
			 4.096e-3 * (double)(1ULL << config->qp_timeout), config->qp_timeout);
	snprintf(text, size, "from %s to %s, QP 0x%06x, MTU %u%s",
		 gid_pair_end(&resources->local[index], here, sizeof(here)), gid_pair_end(remote, there, sizeof(there)),
		 remote->qpn, resources->mtu, timeout);
	return text;
}

/* What the kernel means when it can't find or set the path. */
static const char *path_error_meaning(int err)
{
	switch (err) {
	case ETIMEDOUT:
	case EHOSTUNREACH:
		return ": no neighbour answers for the peer's address (ARP, IPv6 neighbour discovery); is its "
		       "interface up "
		       "and in the same network?";
	case ENETUNREACH:
		return ": this host has no route to the peer's address";
	case ENODEV:
	case ENETDOWN:
	case EADDRNOTAVAIL:
		return ": the interface of this side's GID is down or lost the address";
	case EINVAL:
		return ": the device does not take one of the attributes; try another -x or a smaller -m";
	case EACCES:
	case EPERM:
		return ": the route to the peer's address forbids it";
	default:
		return "";
	}
}

/* step: what the queue pair, or on UD its address handle, was to become. */
int qp_refused(const struct resources *resources, unsigned index, const char *step, int err)
{
	const struct endpoint *local = &resources->local[index];
	const struct endpoint *remote = &resources->remote[counterpart(resources, index)];
	char path[256], hint[128] = "";

	if (!resources->device->is_software)
		gid_pair_hint(local, remote, resources->device->gid_ifindex, hint, sizeof(hint));
	log_error("%s refuses %s of QP 0x%06x: %s%s%s%s\n%s, port %u, SL %u, traffic class %u, P_Key index %u",
		  resources->device->name, step, local->qpn, strerror(err), path_error_meaning(err),
		  hint[0] ? "; " : "", hint, qp_path_text(resources, index, path, sizeof(path)),
		  resources->device->port, resources->config->sl, resources->config->tclass,
		  resources->config->pkey_index);
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

	tx->ah = ibv_create_ah(resources->pd, attr);
	if (!tx->ah)
		return qp_refused(resources, index, "an address handle for the peer", errno ? errno : EIO);
	tx->remote_qpn = qpn;
	tx->remote_qkey = qkey;
	return 0;
}

static int qp_connect_one(struct resources *resources, unsigned index, enum ibv_rate rate)
{
	const struct endpoint *remote = &resources->remote[counterpart(resources, index)];
	const struct endpoint *local = &resources->local[index];
	struct ibv_qp *qp = qp_of(resources, index);
	const struct qp_states *row = qp_states_row(qp);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.dest_qp_num = remote->qpn,
		.rq_psn = remote->psn,
	};
	struct ibv_ah_attr address;
	int rts_mask = row->rts_mask;
	int err = 0;

	qp_fill_rtr(resources, index, &attr);
	qp_fill_address(resources, index, remote, rate, &attr.ah_attr);
	if (resources->traffic.transport->datagram && resources->traffic.posts) {
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
	err = path_add_alternate(resources, remote, &address, &attr, &rts_mask);
	if (err)
		return err;
	err = ibv_modify_qp(qp, &attr, rts_mask);
	if (err)
		return qp_refused(resources, index, "ready-to-send (RTS)", err);
	return 0;
}

/* --rate_limit by the hardware: which static rate; IBV_RATE_MAX without one. */
static int choose_rate(const struct resources *resources, enum ibv_rate *rate)
{
	const struct verbs_config *config = resources->config;

	*rate = IBV_RATE_MAX;
	if (!(config->rate_gbits > 0) || !resources->traffic.posts)
		return 0;
	if (static_rate_from_gbits(config->rate_gbits, rate)) {
		log_error(
			"--rate_limit %g Gb/s is none of the rates that devices know (2.5, 5, 10, 14, 20, 25, 28, 30, "
			"40, 50, 56, 60, 80, 100, 112, 120, 168, 200, 300, 400, 600); or use --rate_limit_type=SW",
			config->rate_gbits);
		return -EINVAL;
	}
	return 0;
}

/* Did the device take the rate over? Only then the hardware limits. */
static int qp_check_rate(struct resources *resources, enum ibv_rate rate)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {0};

	if (rate == IBV_RATE_MAX)
		return 0;
	if (!resources->device->ethernet && !resources->traffic.transport->datagram &&
	    ibv_query_qp(resources->tx[0].qp, &attr, IBV_QP_AV, &init) == 0 && attr.ah_attr.static_rate == rate)
		return 0;
	log_error("%s does not limit the rate itself%s", resources->device->name,
		  resources->config->rate_hint ? resources->config->rate_hint : "");
	return -EOPNOTSUPP;
}

static int qp_connect_all(struct resources *resources)
{
	enum ibv_rate rate;
	int err;

	err = choose_rate(resources, &rate);
	if (err)
		return err;
	for (unsigned i = 0; i < resources->num_endpoints; i++) {
		err = qp_connect_one(resources, i, rate);
		if (err)
			return err;
	}
	return qp_check_rate(resources, rate);
}

static int open_nothing(struct resources *resources)
{
	(void)resources;
	return 0;
}

static void close_nothing(struct resources *resources)
{
	(void)resources;
}

/* Raw packet queue pairs send and receive once they are told to. */
static int ready_all(struct resources *resources)
{
	for (unsigned i = 0; i < resources->num_qps; i++) {
		struct ibv_qp *qp = resources->tx[i].qp;
		const struct qp_states *row = qp_states_row(qp);
		struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
		const char *step = "ready-to-receive (RTR)";
		int err = ibv_modify_qp(qp, &attr, row->rtr_mask);

		if (!err) {
			attr.qp_state = IBV_QPS_RTS;
			step = "ready-to-send (RTS)";
			err = ibv_modify_qp(qp, &attr, row->rts_mask);
		}
		if (err) {
			log_error("%s refuses %s of QP 0x%06x: %s", resources->device->name, step, qp->qp_num,
				  strerror(err));
			return -err;
		}
	}
	return 0;
}

const struct connector connector_frames = {
	.open = open_nothing,
	.connect = ready_all,
	.close = close_nothing,
};

const struct connector connector_endpoints = {
	.open = open_nothing,
	.connect = qp_connect_all,
	.close = close_nothing,
};

void qp_close(struct resources *resources)
{
	for (unsigned i = 0; resources->tx && i < resources->num_qps; i++) {
		struct tx_queue *tx = &resources->tx[i];

		if (tx->qp)
			ibv_destroy_qp(tx->qp);
		if (resources->targets && resources->targets[i]) {
			ibv_destroy_qp(resources->targets[i]);
			resources->targets[i] = NULL;
		}
		if (tx->ah)
			ibv_destroy_ah(tx->ah);
		tx->qp = NULL;
		if (i < resources->num_rx)
			resources->rx[i].qp = NULL;
		tx->qpx = NULL;
		tx->ah = NULL;
	}
}
