// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See ability.h. */
#include "verbs/ability.h"

#include <errno.h>
#include <stdio.h>

#include "memory/memory.h"
#include "util/log.h"
#include "util/terminal.h"
#include "verbs/connect/path.h"
#include "verbs/device/adapter.h"
#include "verbs/device/device.h"
#include "verbs/maker.h"
#include "verbs/memory/mr.h"
#include "verbs/qp/pace.h"
#include "verbs/qp/qp_row.h"
#include "verbs/verbs_config.h"

int ability_check_verb(const struct device *device, const struct verbs_config *config)
{
	if (config->traffic.verb != VERB_ATOMIC || device->attr.atomic_cap != IBV_ATOMIC_NONE)
		return 0;
	return log_fail(-EOPNOTSUPP,
			"%s does not support the atomic operations of this test: its atomic_cap is IBV_ATOMIC_NONE",
			device->name);
}

/* Over iWARP few adapters have immediate data. */
static bool lacks_imm(const struct device *device, enum ibv_wr_opcode opcode)
{
	const struct adapter *adapter = adapter_of(&device->attr);

	return (opcode == IBV_WR_SEND_WITH_IMM && !adapter->iwarp_send_imm) ||
	       (opcode == IBV_WR_RDMA_WRITE_WITH_IMM && !adapter->iwarp_imm);
}

/*
 * The paging capabilities that a transport needs on this side of a test. SRQ receives are a separate capability, and
 * may be the only receives supported: mlx5 has these for XRC and DC, and for UD sends but no receives.
 */
static uint32_t paging_needs(const struct verbs_config *config)
{
	const struct traffic *traffic = &config->traffic;
	uint32_t needs;

	switch (traffic->verb) {
	case VERB_WRITE:
		return IBV_ODP_SUPPORT_WRITE;
	case VERB_READ:
		return IBV_ODP_SUPPORT_READ;
	case VERB_ATOMIC:
		return IBV_ODP_SUPPORT_ATOMIC;
	default:
		needs = traffic->posts ? IBV_ODP_SUPPORT_SEND : 0;
		if (traffic->receives)
			needs |= config->shares_receives ? IBV_ODP_SUPPORT_SRQ_RECV : IBV_ODP_SUPPORT_RECV;
		return needs;
	}
}

static uint32_t paging_of(const struct device *device, const struct ibv_device_attr_ex *attr,
			  const struct transport_traits *transport)
{
	const struct qp_maker *maker = qp_maker_of(transport);

	if (maker && maker->paging)
		return maker->paging(device);
	if (transport->xrc_domain)
		return attr->xrc_odp_caps;
	if (transport->datagram)
		return attr->odp_caps.per_transport_caps.ud_odp_caps;
	return transport->reliable ? attr->odp_caps.per_transport_caps.rc_odp_caps
				   : attr->odp_caps.per_transport_caps.uc_odp_caps;
}

int ability_check_paging(const struct device *device, const struct verbs_config *config)
{
	const struct transport_traits *transport = transport_traits(config->transport);
	const uint32_t needs = paging_needs(config);
	struct ibv_device_attr_ex attr = {0};
	uint32_t has;

	if (!config->odp)
		return 0;
	if (ibv_query_device_ex(device->context, NULL, &attr) || !(attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		return log_fail(-EOPNOTSUPP, "%s has no on-demand paging: omit --odp", device->name);
	has = paging_of(device, &attr, transport);
	if ((has & needs) == needs)
		return 0;
	if (!config->shares_receives && !transport->own_receives && ((has | IBV_ODP_SUPPORT_RECV) & needs) == needs &&
	    has & IBV_ODP_SUPPORT_SRQ_RECV)
		return log_fail(-EOPNOTSUPP,
				"%s has on-demand paging of receives over %s in shared receive queues only: give "
				"--use-srq, or omit --odp",
				device->name, transport->name);
	return log_fail(-EOPNOTSUPP,
			"%s has on-demand paging, but not for this operation over %s: omit --odp, or use another -c",
			device->name, transport->name);
}

static int check_memory(const struct device *device, const struct verbs_config *config)
{
	/* A copy of the byte by the owner's library takes longer than the message. */
	if (config->traffic.polls_memory && config->memory->is_far)
		return log_fail(-EOPNOTSUPP,
				"the CPU polls the last byte of a plain RDMA WRITE, but it cannot load from %s memory: "
				"give --write_with_imm",
				config->memory->name);
	if (!config->null || !config->traffic.peer_posts || adapter_of(&device->attr)->null_rkey)
		return 0;
	return log_fail(-EOPNOTSUPP, "the peer accesses this side's memory, but a null memory region has no valid rkey "
				     "(ibv_alloc_null_mr(3)): give --use-null-mr to the other side only");
}

int ability_refuse_rate(const struct device *device, const struct verbs_config *config, double taken)
{
	const char *hint = config->rate_hint ? config->rate_hint : "";

	if (taken > 0)
		log_error("%s does not have every static rate, and would limit to %g Gb/s, not to %g%s", device->name,
			  taken, config->rate_gbits, hint);
	else
		log_error("%s has no rate limit in hardware%s", device->name, hint);
	return -EOPNOTSUPP;
}

/* Ethernet has no static rates, and whether an address handle has one cannot be queried. */
int ability_check_rate(const struct device *device, const struct verbs_config *config)
{
	enum ibv_rate rate;
	char list[256];

	if (!(config->rate_gbits > 0) || !config->traffic.posts)
		return pace_check(device, config);
	if (static_rate_from_gbits(config->rate_gbits, &rate))
		return log_fail(
			-EINVAL,
			"--rate_limit %g Gb/s is not a static rate (%s); use one of these, or --rate_limit_type=SW",
			config->rate_gbits, static_rate_list(list, sizeof(list)));
	return device->ethernet || transport_traits(config->transport)->by_handle
		       ? ability_refuse_rate(device, config, 0 /* taken */)
		       : 0;
}

static int check_provider(const struct device *device, const struct verbs_config *config)
{
	const struct qp_maker *provider = qp_maker_of_features(config);

	int err = provider ? provider->check(device, config) : 0;

	return err || !config->hints.is_used ? err : tlp_hint_check(device);
}

static int check_cm(const struct device *device, const struct verbs_config *config)
{
	return config->rdma_cm && adapter_of(&device->attr)->datagrams_only
		       ? log_fail(-EOPNOTSUPP, "%s is not known to rdma_cm: omit %s", device->name,
				  verbs_config_names(config)->rdma_cm)
		       : 0;
}

int ability_check_transport(const struct device *device, const struct verbs_config *config)
{
	const struct transport_traits *transport = transport_traits(config->transport);
	const struct qp_maker *maker = qp_maker_of(transport);

	if (maker)
		return maker->check(device, config);
	/* On adapters the attribute says nothing: mlx5 has raw packet QPs and leaves it 0. */
	if (transport->frames && device->is_software && !device->attr.max_raw_ethy_qp)
		return log_fail(-EOPNOTSUPP,
				"%s sends and receives frames through a network interface: select one with "
				"PERFTEST_SOFT=if=NAME in the environment",
				device->name);
	if (config->group.is_used && !device->attr.max_mcast_grp)
		return log_fail(-EOPNOTSUPP, "%s has no multicast: omit --mcg", device->name);
	if (transport->xrc_domain && !(device->attr.device_cap_flags & IBV_DEVICE_XRC))
		return log_fail(-EOPNOTSUPP, "%s has no XRC (extended reliable connections); use another transport",
				device->name);
	if (adapter_of(&device->attr)->datagrams_only && !transport->datagram && !transport->frames)
		return log_fail(-EOPNOTSUPP, "%s does not support %s, only datagrams%s", device->name, transport->name,
				config->datagram_hint ? config->datagram_hint : "");
	if (check_cm(device, config))
		return -EOPNOTSUPP;
	if (config->shares_receives && config->traffic.receives && !device->attr.max_srq)
		return log_fail(-EOPNOTSUPP, "%s has no shared receive queues (SRQ); omit --use-srq", device->name);
	if (device_is_iwarp(device) && !transport->iwarp && !transport->frames)
		return log_fail(-EOPNOTSUPP, "%s is an iWARP device, which does not support %s, only RC", device->name,
				transport->name);
	if (device_is_iwarp(device) && lacks_imm(device, config->traffic.opcode))
		return log_fail(-EOPNOTSUPP,
				"%s is an iWARP device, which does not support the immediate data that this test sends",
				device->name);
	/* An endpoint has one address: of the memory that is written, or of the credits (credit.h). */
	if (device_is_iwarp(device) && config->traffic.opcode == IBV_WR_RDMA_WRITE_WITH_IMM && config->flow_control &&
	    config->traffic.posts && config->traffic.peer_posts)
		return log_fail(-EOPNOTSUPP,
				"%s is an iWARP device, on which immediate data needs flow control, which there is not "
				"for RDMA WRITE in both directions: omit -b",
				device->name);
	/* Only rdma_cm speaks MPA, which connects iWARP QPs (RFC 5044). */
	if (device_is_iwarp(device) && !config->rdma_cm && !transport->frames)
		return log_fail(-EOPNOTSUPP,
				"%s is an iWARP device, whose queue pairs can only be connected with rdma_cm%s",
				device->name, config->cm_hint ? config->cm_hint : "");
	return 0;
}

int ability_check_server(const struct device *device, const struct verbs_config *config)
{
	int err = ability_check_verb(device, config);

	err = err ?: ability_check_paging(device, config);
	return err ? err : check_cm(device, config);
}

int ability_check(const struct device *device, const struct verbs_config *config)
{
	static int (*const checks[])(const struct device *device, const struct verbs_config *config) = {
		ability_check_verb,	 ability_check_paging, check_memory,
		ability_check_transport, check_provider,       ability_check_rate};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(checks) / sizeof(checks[0]); i++)
		err = checks[i](device, config);
	return err;
}

/* Not with rdma_cm, nor over UC, UD and XRC: ctx_qp_create() there. */
bool ability_is_reordered(const struct device *device, const struct verbs_config *config)
{
	const struct transport_traits *transport = transport_traits(config->transport);

	return adapter_of(&device->attr)->reorders && maker_mlx5_features.most_unordered && !config->rdma_cm &&
	       transport->reliable && !transport->datagram && !transport->xrc_domain &&
	       maker_mlx5_features.most_unordered(device, transport);
}

static bool makes(struct ibv_pd *pd, struct ibv_cq *cq, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr least = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = type,
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &least);

	if (qp)
		ibv_destroy_qp(qp);
	return qp;
}

bool ability_lacks_transport(const struct device *device, const struct transport_traits *transport, struct ibv_pd *pd,
			     struct ibv_cq *cq)
{
	char made[32] = "";
	bool lacks = false;

	for (int i = 0; i < TRANSPORT_COUNT; i++) {
		const struct transport_traits *other = transport_traits((enum transport)i);

		if (other->maker != MADE_BY_VERBS || other->xrc_domain || (other->frames && other != transport))
			continue;
		if (makes(pd, cq, qp_rows[other->initiator_qp].type))
			text_add(made, sizeof(made), "%s%s", made[0] ? " and " : "", other->name);
		else
			lacks |= other == transport && errno != EPERM;
	}
	if (!lacks || !made[0])
		return false;
	log_error("%s does not support %s, only %s%s", device->name, transport->name, made,
		  transport->frames ? ": rdma_rxe and siw have no raw packet queue pairs, mlx4 and mlx5 (ConnectX) "
				      "have, and so has soft0 with PERFTEST_SOFT=if=NAME in the environment"
				    : "");
	return true;
}

int ability_check_type(const struct device *device, const struct verbs_config *config)
{
	const struct transport_traits *transport = transport_traits(config->transport);
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	bool lacks;

	if (transport->maker != MADE_BY_VERBS || transport->frames || transport->reliable)
		return 0;
	pd = ibv_alloc_pd(device->context);
	cq = pd ? ibv_create_cq(device->context, 1, NULL, NULL, 0) : NULL;
	lacks = cq && !makes(pd, cq, qp_rows[transport->initiator_qp].type) &&
		ability_lacks_transport(device, transport, pd, cq);
	if (cq)
		ibv_destroy_cq(cq);
	if (pd)
		ibv_dealloc_pd(pd);
	return lacks ? -EOPNOTSUPP : 0;
}
