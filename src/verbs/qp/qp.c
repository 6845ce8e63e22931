// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queue pairs from creation to INIT. What a device grants is found out once, before all of them are created. See qp.h.
 */
#include "verbs/qp/qp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "memory/memory.h"
#include "util/log.h"
#include "util/stop.h"
#include "verbs/ability.h"
#include "verbs/device/adapter.h"
#include "verbs/device/locked_memory.h"
#include "verbs/maker.h"
#include "verbs/qp/credit.h"
#include "verbs/qp/qp_row.h"
#include "verbs/resources.h"

/* The two parts of a P_Key. */
#define PKEY_PARTITION 0x7fff
#define PKEY_FULL      0x8000

#define DEEP 1024 /* requests that every adapter has room for */

struct ibv_qp *qp_of(const struct resources *resources, unsigned endpoint)
{
	return endpoint < resources->num_qps ? resources->tx[endpoint].qp
					     : resources->targets[endpoint - resources->num_qps];
}

uint32_t qp_send_depth(const struct resources *resources)
{
	const uint32_t credits = resources->traffic.receives && credit_is_used(resources) ? CREDIT_WRITES : 0;
	uint32_t depth = resources->config->tx_depth;

	if (!resources->traffic.posts)
		return credits ? credits : 1;
	if (resources->traffic.forwards && depth < resources->rx_depth)
		return resources->rx_depth;
	/* Answered messages may still be unacknowledged, and of the others only some are signalled. */
	if (resources->traffic.open_loop)
		depth *= 2;
	if (resources->traffic.metric == METRIC_LAT && depth < TX_MIN_LATENCY_DEPTH)
		return TX_MIN_LATENCY_DEPTH;
	return depth + credits;
}

uint32_t qp_recv_depth(const struct resources *resources)
{
	return resources->traffic.receives ? resources->rx_depth : 0;
}

static int check_limit(const struct device *device, const char *option, uint32_t asked, int limit)
{
	if (asked <= (uint32_t)limit)
		return 0;
	return log_fail(-EINVAL, "%s %u is too large for %s: at most %d", option, asked, device->name, limit);
}

/* In terms of the option, where qp_send_depth() adds to it. */
static int check_sends(const struct resources *resources, const struct device *device)
{
	const uint32_t needed = qp_send_depth(resources), asked = resources->config->tx_depth;
	const uint32_t most_reads = resources->traffic.posts && resources->traffic.opcode == IBV_WR_RDMA_READ
					    ? adapter_of(&device->attr)->most_reads
					    : 0;
	const int limit = most_reads ? (int)most_reads : device->attr.max_qp_wr;
	int most = limit;

	if (resources->traffic.posts && resources->traffic.open_loop)
		most = limit / 2;
	else if (resources->traffic.posts && resources->traffic.receives && credit_is_used(resources))
		most = limit - CREDIT_WRITES;
	if (needed > (uint32_t)limit && asked > (uint32_t)most)
		return check_limit(device, "--tx-depth", asked, most);
	return check_limit(device, "--tx-depth", needed, limit);
}

static int most_receives_of(const struct resources *resources, const struct device *device)
{
	const struct qp_maker *maker = qp_maker_of(resources->traffic.transport);
	const uint32_t most = maker && maker->most_receives ? maker->most_receives(device) : 0;

	if (resources->config->shares_receives)
		return device->attr.max_srq_wr - adapter_of(&device->attr)->srq_spare;
	return most && most <= INT_MAX ? (int)most : device->attr.max_qp_wr;
}

/*
 * All receives of a set complete in one CQ: rxe's have room for 32767, one less than 64 QPs of the default depth need,
 * mana's for 8192.
 */
static uint32_t default_receives(const struct resources *resources, const struct device *device, unsigned devices)
{
	const uint32_t most = (uint32_t)most_receives_of(resources, device);
	const uint32_t sets = resources->num_sets * devices;
	const uint32_t queues = sets ? (resources->num_rx + sets - 1) / sets : 0;
	const uint32_t entries = queues ? (uint32_t)device->attr.max_cqe / queues : 0;

	/* A list must fit, and on iWARP the sender takes its own -r for the peer's: then cq_open() refuses it by name.
	 */
	if (!entries || entries < resources->config->recv_post_list || credit_is_used(resources))
		return most;
	return entries < most ? entries : most;
}

static int check_limits_of(struct resources *resources, const struct device *device)
{
	const unsigned ports = resources->device->second ? 2 : 1;
	const unsigned devices = ports == 2 && resources->device->second->context != resources->device->context ? 2 : 1;
	const uint32_t most = default_receives(resources, device, devices);
	int err;

	err = ability_check(device, resources->config);
	if (err)
		return err;
	/* A default may exceed the device's limit, an explicit depth may not. */
	if (!resources->config->rx_depth_is_given && resources->rx_depth > most)
		resources->rx_depth = most;

	err = check_limit(device, "--qp", resources->num_qps / devices, device->attr.max_qp);
	err = err ?: check_sends(resources, device);
	err = err ?: check_limit(device, "--rx-depth", qp_recv_depth(resources), most_receives_of(resources, device));
	return err;
}

int qp_check_limits(struct resources *resources)
{
	int err = 0;

	resources->rx_depth = resources->config->rx_depth;
	for (const struct device *device = resources->device; !err && device; device = device->second)
		err = check_limits_of(resources, device);
	if (!err && resources->config->frames.rss.is_used)
		err = rss_check(resources);
	return err;
}

/* --- creation --- */

static uint64_t send_operations(enum ibv_wr_opcode opcode)
{
	static const uint64_t operations[] = {
		[IBV_WR_RDMA_WRITE] = IBV_QP_EX_WITH_RDMA_WRITE,
		[IBV_WR_RDMA_WRITE_WITH_IMM] = IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
		[IBV_WR_SEND] = IBV_QP_EX_WITH_SEND,
		[IBV_WR_SEND_WITH_IMM] = IBV_QP_EX_WITH_SEND_WITH_IMM,
		[IBV_WR_RDMA_READ] = IBV_QP_EX_WITH_RDMA_READ,
		[IBV_WR_ATOMIC_CMP_AND_SWP] = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
		[IBV_WR_ATOMIC_FETCH_AND_ADD] = IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	};

	return operations[opcode];
}

/* What is requested for a QP, and what was granted. */
struct shape {
	bool wr_api;
	uint32_t inline_size;
};

#define INNER_PIECES   2 /* of a connected QP's request */
#define INNER_DATAGRAM 8 /* bytes of inline data */

/* A request here has one element; but see inline_piece in adapter.h. */
static uint32_t send_pieces(const struct resources *resources, unsigned index, uint32_t inline_size)
{
	const struct ibv_device_attr *attr = &resources_device(resources, index)->attr;
	const uint32_t inner = resources->traffic.transport->datagram ? 0 : INNER_PIECES;
	const uint32_t bytes = adapter_of(attr)->inline_piece;
	uint32_t pieces;

	if (!bytes || inline_size <= inner * bytes)
		return 1;
	pieces = inner + (inline_size + bytes - 1) / bytes;
	return pieces <= (uint32_t)attr->max_sge ? pieces : (uint32_t)attr->max_sge;
}

/* What the row of its kind says: an XRC target has no queues of its own, a DC target has those of the SRQ. */
static void qp_fill_init(const struct resources *resources, unsigned endpoint, struct shape shape,
			 struct ibv_qp_init_attr_ex *attr)
{
	const struct qp_steps *row = qp_row_of(resources, endpoint);
	const unsigned index = endpoint % resources->num_qps;
	const struct queue_set *set = queue_set_of(resources->sets, index);
	const bool is_second = set->second_send_cq && resources_is_second(resources, index);
	struct ibv_cq *recv_cq = is_second ? set->second_recv_cq : set->recv_cq;

	*attr = (struct ibv_qp_init_attr_ex){.qp_type = row->type};
	if (row->receives == QP_RECEIVES_OF_DOMAIN) {
		attr->comp_mask = IBV_QP_INIT_ATTR_XRCD;
		attr->xrcd = resources->xrcd;
		return;
	}
	attr->comp_mask = IBV_QP_INIT_ATTR_PD;
	/* libmlx5 counts a DC target in its parent domain only when it is destroyed. */
	attr->pd = row->sends ? resources_qp_pd(resources, index) : resources_pd(resources, index);
	attr->send_cq = is_second ? set->second_send_cq : set->send_cq;
	attr->recv_cq = recv_cq ? recv_cq : attr->send_cq;
	if (row->receives != QP_RECEIVES_NONE)
		attr->srq = set->rx[0].srq;
	if (row->receives == QP_RECEIVES_OWN && !attr->srq) {
		/* One at least: ionic's and ERDMA's drivers refuse a QP without receives and without an SRQ. */
		attr->cap.max_recv_wr = qp_recv_depth(resources) ? qp_recv_depth(resources) : 1;
		attr->cap.max_recv_sge = 1;
	}
	if (!row->sends)
		return;
	attr->cap.max_send_wr = qp_send_depth(resources);
	attr->cap.max_send_sge = send_pieces(resources, index, shape.inline_size);
	attr->cap.max_inline_data = resources->config->crypto.is_used ? MKEY_INLINE_BYTES : shape.inline_size;
	attr->send_ops_flags = send_operations(resources->traffic.opcode);
	attr->comp_mask |= shape.wr_api ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0;
}

/* The only creator: by the provider of the transport or of a feature, or by verbs, with or without extensions. */
static struct ibv_qp *qp_create(const struct resources *resources, unsigned endpoint, struct shape shape,
				struct ibv_qp_cap *granted)
{
	const struct device *device = resources_device(resources, endpoint);
	const struct qp_maker *maker = qp_maker_of(resources->traffic.transport);
	struct ibv_qp_init_attr_ex attr;
	struct ibv_qp_init_attr plain;
	struct ibv_qp *qp;

	qp_fill_init(resources, endpoint, shape, &attr);
	if (!maker)
		maker = qp_maker_of_features(resources->config);
	errno = 0;
	if (maker) {
		qp = maker->create(device, resources->config, &attr, qp_row_of(resources, endpoint));
	} else if (attr.comp_mask != IBV_QP_INIT_ATTR_PD) {
		qp = ibv_create_qp_ex(device->context, &attr);
	} else {
		plain = (struct ibv_qp_init_attr){.send_cq = attr.send_cq,
						  .recv_cq = attr.recv_cq,
						  .srq = attr.srq,
						  .cap = attr.cap,
						  .qp_type = attr.qp_type};
		qp = ibv_create_qp(attr.pd, &plain);
		attr.cap = plain.cap;
	}
	*granted = attr.cap;
	return qp;
}

/* What is known to go wrong, though the device accepts it. */
static uint32_t most_inline(const struct resources *resources, unsigned index)
{
	const struct transport_traits *transport = resources->traffic.transport;
	const struct ibv_device_attr *attr = &resources_device(resources, index)->attr;
	const struct adapter *adapter = adapter_of(attr);

	if (adapter->no_inline ||
	    (adapter->no_xrc_inline && transport->xrc_domain && resources->traffic.verb == VERB_WRITE))
		return 0;
	/* Before rdma-core 47 what is not in the request itself is written beyond the queue ("Fix sge tail_len
	 * overflow"). */
	if (adapter->inline_piece && !adapter_has_calls(attr))
		return transport->datagram ? INNER_DATAGRAM : INNER_PIECES * adapter->inline_piece;
	return UINT32_MAX;
}

/*
 * A device refuses an inline size that is too large, without saying how much it supports: finds the largest accepted
 * one, between 0 and the requested size, by halving, and stores it in *inline_size.
 */
static bool accepts_of(const struct resources *resources, unsigned index, bool wr_api, uint32_t *inline_size)
{
	const uint32_t most = most_inline(resources, index);
	uint32_t accepted = 0, refused, tried;

	if (*inline_size > most)
		*inline_size = most;
	refused = tried = *inline_size;
	for (;;) {
		struct ibv_qp_cap granted;
		struct ibv_qp *qp = qp_create(resources, index, (struct shape){wr_api, tried}, &granted);

		if (qp) {
			const bool lacks_calls = wr_api && resources->traffic.posts && !ibv_qp_to_qp_ex(qp);

			ibv_destroy_qp(qp);
			if (lacks_calls) { /* a provider that ignores what it does not know */
				errno = EOPNOTSUPP;
				return false;
			}
			accepted = granted.max_inline_data < tried ? granted.max_inline_data : tried;
			if (tried == *inline_size || granted.max_inline_data < tried)
				break;
		} else {
			if (tried == 0)
				return false;
			/* The size is the reason only if 0 is accepted. */
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

/* What both devices of dual port grant, for all QPs. */
static bool accepts(const struct resources *resources, bool wr_api, uint32_t *inline_size)
{
	return accepts_of(resources, 0, wr_api, inline_size) &&
	       (!resources->second_pd || accepts_of(resources, resources->num_qps / 2, wr_api, inline_size));
}

uint32_t qp_wanted_inline(const struct resources *resources)
{
	const struct verbs_config *config = resources->config;
	const struct adapter *adapter = adapter_of(&resources->device->attr);

	/* The CPU copies inline data, so it must be able to load from the memory. */
	if (!resources->traffic.posts || resources->traffic.pulls || resources->config->memory->is_far ||
	    resources->config->crypto.is_used)
		return 0;
	if (config->inline_size >= 0)
		return (uint32_t)config->inline_size;
	/* On EFA inline data in RDMA WRITE needs larger send queue entries: only if requested. */
	if (resources->traffic.transport->maker == MADE_BY_EFA && resources->traffic.verb != VERB_SEND)
		return 0;
	if (resources->traffic.metric != METRIC_LAT || resources->traffic.bursts)
		return 0;
	if (adapter->no_inline || adapter->inline_latency)
		return adapter->inline_latency;
	/* A write carries a remote address, 16 bytes, instead of data. */
	return (uint32_t)qp_rows[resources->traffic.transport->initiator_qp].inline_latency -
	       (resources->traffic.verb == VERB_WRITE ? 16 : 0);
}

/* Do requests need more than ibv_post_send() supports? For SRD it does: its messages are sent as UD. */
static bool needs_wr_api(const struct resources *resources)
{
	const struct transport_traits *transport = resources->traffic.transport;

	if (resources->config->crypto.is_used)
		return true;
	return transport->names_both &&
	       !(transport->datagram && resources->traffic.verb == VERB_SEND && resources->config->use_old_post_send);
}

/* On EFA the QP has the service level, not the address handle; drivers without it refuse any but 0. */
static const char *service_level_hint(const struct resources *resources)
{
	return resources->traffic.transport->maker == MADE_BY_EFA && resources->config->sl
		       ? "; its driver or libefa may know no service levels: omit --sl"
		       : "";
}

/* On a bond the kernel refuses DC's targets, unless the adapter says that it has them there (lag_dct). */
static const char *bond_hint(const struct resources *resources, int err)
{
	return resources->traffic.transport->maker == MADE_BY_MLX5 && err == -EOPNOTSUPP
		       ? "; on a bond (LAG) not every adapter has its targets"
		       : "";
}

/* The room of a send queue is a number of bytes, by which a depth within max_qp_wr may be refused. */
static const char *depth_hint(const struct resources *resources, int err)
{
	return err == -EINVAL && qp_send_depth(resources) > DEEP ? "; a lower --tx-depth may be possible" : "";
}

bool qp_prefers_calls(const struct resources *resources)
{
	const struct device *second = resources->device->second;

	return adapter_has_calls(&resources->device->attr) && (!second || adapter_has_calls(&second->attr));
}

/* A library without ibv_wr_*() may refuse them in its own way: mlx4's with no errno, mana's with EINVAL. */
static bool may_have_no_calls(int refusal)
{
	return !refusal || refusal == EINVAL || refusal == EOPNOTSUPP || refusal == ENOSYS;
}

/* Finds out what the device supports, once, before the QPs are created. */
static int settle_shape(struct resources *resources, struct shape *shape)
{
	uint32_t wanted = qp_wanted_inline(resources);
	const bool must_call = needs_wr_api(resources) || resources->config->use_wr_api;
	const bool prefers_wr_api = must_call || (!resources->config->use_old_post_send &&
						  !resources->traffic.transport->frames && qp_prefers_calls(resources));
	char advice[512];
	struct shape settled = {.wr_api = prefers_wr_api, .inline_size = wanted};
	int refusal, err;

	if (resources->config->use_wr_api && adapter_of(&resources->device->attr)->calls_corrupt &&
	    !adapter_has_calls(&resources->device->attr))
		log_warning("%s: %s: omit --use_wr_api", resources->device->name,
			    adapter_of(&resources->device->attr)->calls_why);
	if (settled.wr_api && !accepts(resources, true, &settled.inline_size))
		settled = (struct shape){.wr_api = false, .inline_size = wanted};
	if (!settled.wr_api && must_call) {
		refusal = errno;
		err = refusal ? -refusal : -EIO;
		if (may_have_no_calls(refusal) && !needs_wr_api(resources) && !qp_prefers_calls(resources) &&
		    accepts(resources, false, &settled.inline_size))
			return log_fail(-EOPNOTSUPP,
					"%s has no ibv_wr_*() for this operation over %s: omit --use_wr_api",
					resources->device->name, resources->traffic.transport->name);
		return log_fail(err, "cannot create %s QP on %s for ibv_wr_*() (max_send_wr %u): %s%s%s%s",
				resources->traffic.transport->name, resources->device->name, qp_send_depth(resources),
				strerror(-err),
				needs_wr_api(resources) ? depth_hint(resources, err) : "; omit --use_wr_api",
				service_level_hint(resources), bond_hint(resources, err));
	}
	if (!settled.wr_api && !accepts(resources, false, &settled.inline_size)) {
		err = errno ? -errno : -EIO;
		if (ability_lacks_transport(resources->device, resources->traffic.transport, resources->pd,
					    resources->sets[0].send_cq))
			return -EOPNOTSUPP;
		return log_fail(err, "cannot create %s QP on %s (max_send_wr %u, max_recv_wr %u): %s%s%s%s",
				resources->traffic.transport->name, resources->device->name, qp_send_depth(resources),
				qp_recv_depth(resources), strerror(-err), depth_hint(resources, err),
				service_level_hint(resources),
				err == -EPERM && resources->traffic.transport->frames
					? "; raw packet queue pairs need CAP_NET_RAW"
					: locked_memory_advice(resources->device, -err, 0, advice, sizeof(advice)));
	}
	if (settled.inline_size < wanted && resources->config->inline_size >= 0)
		log_warning("%s sends at most %u bytes inline, not the %u of --inline_size", resources->device->name,
			    settled.inline_size, wanted);
	*shape = settled;
	return 0;
}

/* What the peer may do with the QP. */
unsigned qp_access_flags(const struct resources *resources)
{
	static const unsigned flags[] = {
		[VERB_SEND] = IBV_ACCESS_REMOTE_WRITE, /* credit.h */
		[VERB_WRITE] = IBV_ACCESS_REMOTE_WRITE,
		[VERB_READ] = IBV_ACCESS_REMOTE_READ,
		[VERB_ATOMIC] = IBV_ACCESS_REMOTE_ATOMIC,
	};

	return flags[resources->traffic.verb];
}

int qp_to_init(const struct resources *resources, unsigned endpoint)
{
	const struct verbs_config *config = resources->config;
	const struct device *device = resources_device(resources, endpoint);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = config->pkey_index,
		.port_num = device->port,
		.qp_access_flags = qp_access_flags(resources),
		.qkey = QP_KEY,
	};
	int err = ibv_modify_qp(qp_of(resources, endpoint), &attr, qp_row_of(resources, endpoint)->init_mask);

	if (err)
		log_error("%s: cannot modify QP to INIT (port %u, P_Key index %u): %s", device->name, device->port,
			  config->pkey_index, strerror(err));
	return -err;
}

static int post_and_drop(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)qp;
	(void)wr;
	(void)bad;
	return 0;
}

static struct ibv_context discarding = {.ops.post_recv = post_and_drop};
static struct ibv_qp discarded = {.context = &discarding};

struct ibv_qp *unsolicited_receives(void)
{
	return &discarded;
}

/* Creates a QP and what else this side needs for its and the peer's messages. */
static int qp_open_one(struct resources *resources, unsigned index, struct shape shape)
{
	const struct qp_maker *maker = qp_maker_of(resources->traffic.transport);
	const struct device *device = resources_device(resources, index);
	struct tx_queue *tx = &resources->tx[index];
	char advice[512];
	struct ibv_qp_cap granted;
	int err;

	tx->qp = qp_create(resources, index, shape, &granted);
	if (!tx->qp) {
		err = errno ? -errno : -EIO;
		return log_fail(err, "cannot create more QPs on %s, after %u of %u: %s; lower --qp%s", device->name,
				index, resources->num_qps, strerror(-err),
				locked_memory_advice(device, -err, 0, advice, sizeof(advice)));
	}
	if (!resources->config->shares_receives)
		resources->rx[index].qp = resources->config->unsolicited ? unsolicited_receives() : tx->qp;
	if (shape.wr_api && resources->traffic.posts) {
		tx->qpx = ibv_qp_to_qp_ex(tx->qp);
		if (maker && maker->extension)
			tx->address.extension = maker->extension(device, tx->qpx);
	}
	if (granted.max_inline_data < resources->inline_size)
		resources->inline_size = granted.max_inline_data;
	resources->granted = granted;
	err = qp_to_init(resources, index);
	if (err || !resources->targets)
		return err;
	resources->targets[index] = qp_create(resources, resources->num_qps + index, shape, &granted);
	if (resources->targets[index])
		return qp_to_init(resources, resources->num_qps + index);
	err = errno ? -errno : -EIO;
	return log_fail(err, "cannot create more target queue pairs on %s for %s, after %u of %u: %s%s",
			resources->device->name, resources->traffic.transport->name, index, resources->num_qps,
			strerror(-err), err == -EOPNOTSUPP ? bond_hint(resources, err) : "; lower --qp");
}

/*
 * A subnet manager may leave gaps in the table, also at its start. Devices accept the index of a gap, and drop what
 * arrives. On Ethernet the table says nothing (some iWARP drivers report 0).
 */
static int check_pkey_value(const struct resources *resources, const struct device *device)
{
	const unsigned index = resources->config->pkey_index;
	__be16 pkey;

	if (device->ethernet || resources->traffic.transport->frames || resources->config->rdma_cm ||
	    ibv_query_pkey(device->context, device->port, (int)index, &pkey))
		return 0;
	if (ntohs(pkey) & PKEY_PARTITION) {
		log_detail("P_Key: 0x%04x, index %u, %s member of the partition", ntohs(pkey), index,
			   ntohs(pkey) & PKEY_FULL ? "full" : "limited");
		return 0;
	}
	return log_fail(-EINVAL,
			"port %u of %s has no P_Key at index %u; select another --pkey_index (ports/%u/pkeys in sysfs "
			"has the table), or see the partitions of the subnet manager",
			device->port, device->name, index, device->port);
}

int qp_check_pkey(const struct resources *resources, const struct device *device)
{
	if (device->port_attr.pkey_tbl_len == 0)
		return 0;
	if (resources->config->pkey_index < device->port_attr.pkey_tbl_len)
		return check_pkey_value(resources, device);
	return log_fail(-EINVAL, "--pkey_index %u: port %u of %s has P_Key indexes 0 to %u",
			resources->config->pkey_index, device->port, device->name, device->port_attr.pkey_tbl_len - 1U);
}

int qp_open(struct resources *resources)
{
	struct shape shape;
	int err = 0;

	for (const struct device *device = resources->device; !err && device; device = device->second)
		err = qp_check_pkey(resources, device);
	if (err)
		return err;
	if (resources->config->frames.rss.is_used)
		return rss_open(resources);
	err = settle_shape(resources, &shape);
	if (err)
		return err;
	resources->wr_api = shape.wr_api;
	resources->inline_asked = qp_wanted_inline(resources);
	resources->inline_size = shape.inline_size;
	for (unsigned i = 0; i < resources->num_qps; i++) {
		/* On adapters each takes up to milliseconds, and there may be thousands. */
		err = stop_requested() ? -EINTR : qp_open_one(resources, i, shape);
		if (err)
			return err;
	}
	return 0;
}

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
