// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Creates, connects and destroys a test's objects, in the right order. */
#include "verbs/perftest_resources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "config.h"
#include "util/log.h"
#include "verbs/connect/path.h"
#include "verbs/device/adapter.h"
#include "verbs/device/gid.h"
#include "verbs/device/host_page.h"
#include "verbs/maker.h"
#include "verbs/memory/mr.h"
#include "verbs/memory/slots.h"
#include "verbs/qp/credit.h"
#include "verbs/qp/pace.h"
#include "verbs/qp/qp.h"
#include "verbs/qp/qp_row.h"
#include "verbs/resources.h"
#include "verbs/work/ethernet.h"

static int open_pd(const struct device *device, struct ibv_pd **pd)
{
	int err;

	*pd = ibv_alloc_pd(device->context);
	if (*pd)
		return 0;
	err = errno ? -errno : -EIO;
	return log_fail(err, "cannot allocate a protection domain on %s: %s", device->name, strerror(-err));
}

static int open_pds(struct resources *resources)
{
	const struct device *first = resources->device, *second = first->second;
	int err = open_pd(first, &resources->pd);

	if (err || !second || second->context == first->context)
		return err;
	if (resources->config->shares_receives)
		return log_fail(-EINVAL,
				"a shared receive queue belongs to one device, but %s and %s are two: omit --use-srq, "
				"-c XRC or -c DC, or use two ports of one device",
				first->name, second->name);
	return open_pd(second, &resources->second_pd);
}

static int open_thread_domains(struct resources *resources)
{
	int err = thread_domain_open(&resources->domain, resources->device, resources->pd);

	if (!err && resources->second_pd)
		err = thread_domain_open(&resources->second_domain, resources->device->second, resources->second_pd);
	return err;
}

/* Distributes the QPs over the sets; the first ones get the remainder. */
static void share_out(struct resources *resources)
{
	unsigned first = 0;

	for (unsigned i = 0; i < resources->num_sets; i++) {
		struct queue_set *set = &resources->sets[i];
		const unsigned count =
			resources->num_qps / resources->num_sets + (i < resources->num_qps % resources->num_sets);

		set->tx = resources->tx + first;
		set->num_tx = count;
		set->rx = resources->rx + (resources->config->shares_receives ? i : first);
		set->num_rx = resources->config->shares_receives ? 1 : count;
		first += count;
	}
}

static int open_arrays(struct resources *resources)
{
	resources->sets = calloc(resources->num_sets, sizeof(*resources->sets));
	resources->tx = calloc(resources->num_qps, sizeof(*resources->tx));
	resources->rx = calloc(resources->num_rx, sizeof(*resources->rx));
	/* With multicast the group is the endpoint that both sides know. */
	resources->num_endpoints = resources->config->group.is_used ? 1 : resources->num_qps;
	if (resources->traffic.splits) {
		resources->num_endpoints *= 2;
		resources->targets = calloc(resources->num_qps, sizeof(struct ibv_qp *));
	}
	resources->local = calloc(resources->num_endpoints, sizeof(*resources->local));
	resources->remote = calloc(resources->num_endpoints, sizeof(*resources->remote));
	if (!resources->sets || !resources->tx || !resources->rx || !resources->local || !resources->remote ||
	    (resources->traffic.splits && !resources->targets)) {
		log_error("no memory for %u queue pairs", resources->num_qps);
		resources->num_qps = resources->num_sets = resources->num_rx =
			0; /* resources_close() must not look for QPs if arrays are missing */
		return -ENOMEM;
	}
	share_out(resources);
	return 0;
}

/* READs and atomics in flight on a QP that both ports' devices can respond to, or initiate. */
static uint32_t outs_limit(const struct resources *resources, bool initiates)
{
	const struct device *device = resources->device;
	const struct qp_maker *maker = qp_maker_of(resources->traffic.transport);
	const uint32_t made = maker && maker->most_outs ? maker->most_outs(device) : 0;
	/* max_rd_atomic and max_dest_rd_atomic of a QP have 8 bits. */
	int limit = made && made < UINT8_MAX ? (int)made : UINT8_MAX;

	for (; device; device = device->second) {
		const int most = initiates ? device->attr.max_qp_init_rd_atom : device->attr.max_qp_rd_atom;

		if (most < limit)
			limit = most;
	}
	return limit > 0 ? (uint32_t)limit : 0;
}

/* As many of them as this side uses. 0 or 1 for verbs that have none in flight. */
static uint32_t choose_outs(const struct resources *resources, bool initiates)
{
	uint32_t limit = outs_limit(resources, initiates);
	const int given = resources->config->outs;

	if (!resources->traffic.pulls)
		return limit > 0;
	if (given >= 0 && (uint32_t)given < limit)
		limit = (uint32_t)given;
	return adapter_outs(&resources->device->attr, limit);
}

static void warn_of_outs(const struct resources *resources)
{
	const struct verbs_config *config = resources->config;
	const struct traffic *traffic = &resources->traffic;
	const bool initiates = traffic->posts && (!traffic->peer_posts || resources->outs <= resources->answers);
	const uint32_t used = initiates ? resources->outs : resources->answers;
	const char *fact = "supports at most";

	if (!traffic->pulls || !resources->outs) /* the device has no such limit, as EFA */
		return;
	if (config->outs <= 0 || (uint32_t)config->outs <= used)
		return;
	if ((uint32_t)config->outs <= outs_limit(resources, initiates))
		fact = "keeps a power of two:";
	log_warning("%s %s %u READs or atomics in flight, not the %d of %s", resources->device->name, fact, used,
		    config->outs, verbs_config_names(config)->outs);
}

static uint32_t resources_random_psn(unsigned index)
{
	uint32_t psn;

	/* It only has to differ between runs, so that a late packet of an earlier run is not accepted. */
	if (getrandom(&psn, sizeof(psn), GRND_NONBLOCK) != sizeof(psn))
		psn = index * 2654435761U;
	return psn & 0xffffff;
}

static void describe_gid(const struct device *device, struct endpoint *endpoint)
{
	if (device->gid_index < 0)
		return;
	memcpy(endpoint->gid, device->gid.raw, sizeof(endpoint->gid));
	endpoint->gid_kind = (uint8_t)device->gid_kind;
	endpoint->gid_index = (uint16_t)device->gid_index;
}

static void resources_describe(struct resources *resources)
{
	for (unsigned i = 0; i < resources->num_endpoints; i++) {
		struct endpoint *endpoint = &resources->local[i];

		*endpoint = (struct endpoint){
			.lid = resources_is_second(resources, i) ? resources->device->second->port_attr.lid
								 : resources->lid,
			.alt_lid = resources->alt_lid,
			.qpn = qp_of(resources, i)->qp_num,
			.target_qpn = resources->targets && i < resources->num_qps ? resources->targets[i]->qp_num : 0,
			.srqn = srq_number(resources, i % resources->num_qps),
			/* A target uses the PSN of its initiator, so that one endpoint describes both. */
			.psn = i < resources->num_qps ? resources_random_psn(i)
						      : endpoint[-(int)resources->num_qps].psn,
			.out_reads = resources->answers,
			.mtu = resources->mtu,
		};
		if (resources->traffic.peer_posts) {
			endpoint->rkey = mr_recv_rkey(resources, i % resources->num_qps);
			endpoint->vaddr = mr_address(resources, mr_recv_region(resources, i % resources->num_qps));
		}
		credit_describe(resources, i % resources->num_qps, endpoint);
		describe_gid(resources_device(resources, i), endpoint);
	}
}

/* Both ports carry the same messages. */
static int choose_limits(struct resources *resources)
{
	const struct verbs_config *config = resources->config;
	const struct device *first = resources->device;

	resources->mtu = UINT32_MAX;
	resources->max_message = UINT64_MAX;
	for (const struct device *device = first; device; device = device->second) {
		const uint32_t mtu = device_mtu(device, config);
		uint64_t most;
		int err = device_max_message(device, config, &most);

		if (err)
			return err;
		if (mtu < resources->mtu)
			resources->mtu = mtu;
		if (most < resources->max_message)
			resources->max_message = most;
	}
	if (config->mtu > resources->mtu)
		log_warning("port %u of %s has an active MTU of %u bytes, not the %u of %s", first->port, first->name,
			    resources->mtu, config->mtu, verbs_config_names(config)->mtu);
	return 0;
}

static int number_queues(struct resources *resources)
{
	for (unsigned i = 0; i < resources->num_sets; i++) {
		struct queue_set *set = &resources->sets[i];
		struct ibv_qp *const *targets =
			resources->targets ? resources->targets + (set->tx - resources->tx) : NULL;

		if (!queue_set_number(set, targets, resources->config->unsolicited))
			continue;
		return log_fail(-ENOMEM, "no memory for the numbers of %u queue pairs", resources->num_qps);
	}
	return 0;
}

static int resources_open_all(struct resources *resources, uint64_t max_size)
{
	int err = choose_limits(resources);

	if (err)
		return err;
	if (max_size > resources->max_message)
		max_size = resources->max_message;
	resources->recv_bytes = max_size + resources->traffic.transport->recv_header_bytes;
	/* The peer has agreed on nothing: the loop checks what arrives, even if it is too long. */
	if (resources->traffic.forwards)
		resources->recv_bytes = resources->config->mtu;
	err = path_open(resources);
	err = err ?: qp_check_limits(resources);
	err = err ?: open_arrays(resources);
	err = err ?: open_pds(resources);
	if (!err && resources->config->no_lock)
		err = open_thread_domains(resources);
	err = err ?: mr_open(resources, max_size);
	if (!err && resources->config->crypto.is_used)
		err = mkey_ops.make(resources);
	err = err ?: credit_open(resources);
	err = err ?: cq_open(resources, qp_send_depth(resources), qp_recv_depth(resources));
	err = err ?: srq_open(resources);
	err = err ?: qp_open(resources);
	err = err ?: wr_open(resources);
	if (err)
		return err;
	resources->outs = choose_outs(resources, true);
	resources->answers = choose_outs(resources, false);
	warn_of_outs(resources);
	resources_describe(resources);
	err = resources->connector->open ? resources->connector->open(resources) : 0;
	return err ? err : number_queues(resources); /* some QPs only have their numbers now */
}

int resources_open(struct resources *resources, const struct device *device, const struct verbs_config *config,
		   const struct cm_setup *setup, uint64_t max_size)
{
	struct resources opened = {
		.device = device,
		.config = config,
		.traffic = config->traffic,
		.page_bytes = host_walk(config->peer_page_bytes),
		.connector = config->traffic.transport->frames		? &connector_frames
			     : config->group.is_used			? &connector_group
			     : config->rdma_cm				? &connector_cm
			     : config->traffic.transport->late_endpoint ? &connector_late
									: &connector_endpoints,
		.cm_setup = *setup,
		.num_qps = config->num_qps,
		.num_sets = verbs_config_sets(config),
		.num_rx = config->shares_receives ? verbs_config_sets(config) : config->num_qps,
	};
	int err;

	err = resources_open_all(&opened, max_size);
	if (err) {
		resources_close(&opened);
		return err;
	}
	*resources = opened;
	return 0;
}

/* If the path must not lead to the LID that the peer has sent. */
static void aim_at_lid(struct resources *resources)
{
	for (unsigned i = 0; resources->config->dlid > 0 && i < resources->num_endpoints; i++)
		resources->remote[i].lid = (uint16_t)resources->config->dlid;
}

/* Reports for the first QP of each port. */
static int check_paths(const struct resources *resources, const struct endpoint *remote)
{
	const unsigned step = resources->device->second ? resources->num_qps / 2 : resources->num_endpoints;
	char why[512];

	for (unsigned i = 0; i < resources->num_endpoints; i += step) {
		if (gid_pair_talks(&resources->local[i], &remote[i], resources_device(resources, i)->ethernet, why,
				   sizeof(why)))
			continue;
		return log_fail(-EINVAL, "%s", why);
	}
	return 0;
}

static bool lacks_outs(const struct resources *resources)
{
	return resources->traffic.pulls && ((resources->traffic.posts && !resources->outs) ||
					    (resources->traffic.peer_posts && !resources->answers));
}

/*
 * Without responder resources, the first READ or atomic fails on one adapter, and never completes on another. SRD is
 * not checked: EFA can read although its device attributes are 0.
 */
static int check_outs(const struct resources *resources, bool own)
{
	const struct qp_steps *initiator = &qp_rows[resources->traffic.transport->initiator_qp];

	if (!lacks_outs(resources) || !(initiator->rts_mask & IBV_QP_MAX_QP_RD_ATOMIC))
		return 0;
	return log_fail(-EOPNOTSUPP,
			"%s%s%s allows no READs or atomics in flight (max_qp_rd_atom, max_qp_init_rd_atom: 0)",
			own ? "" : "the peer's device, unlike ", resources->device->name, own ? "" : ",");
}

/* Lowers what this side initiates to what the peer responds to. Its user cannot know that other device. */
static void apply_answers_of_peer(struct resources *resources, uint32_t answers)
{
	const struct verbs_config *config = resources->config;
	const struct traffic *traffic = &resources->traffic;
	/* With -b, this device may respond to as few, which warn_of_outs() has said. */
	const bool is_news = answers && !(traffic->peer_posts && resources->answers <= answers);

	if (answers >= resources->outs)
		return;
	resources->outs = adapter_outs(&resources->device->attr, answers);
	if (is_news && traffic->pulls && traffic->posts && config->outs > 0 && (uint32_t)config->outs > answers)
		log_warning("the peer supports at most %u READs or atomics in flight, not the %d of %s", answers,
			    config->outs, verbs_config_names(config)->outs);
}

#if HAVE_DECL_IBV_QUERY_QP_DATA_IN_ORDER
/* Of the flags and answers of ibv_query_qp_data_in_order(3), rdma-core 46; older libraries answer 0 then. */
#define IN_ORDER_RETURN_CAPS (1U << 0)
#define IN_ORDER_128_BYTES   (1 << 1)

/* Bytes of a message that are written in order; UINT64_MAX: all. At least a cache line, which is written at once. */
static uint64_t ordered_bytes(struct ibv_qp *qp)
{
	int caps;

	if (ibv_query_qp_data_in_order(qp, IBV_WR_RDMA_WRITE, 0) > 0)
		return UINT64_MAX;
	caps = ibv_query_qp_data_in_order(qp, IBV_WR_RDMA_WRITE, IN_ORDER_RETURN_CAPS);
	return caps > 0 && caps & IN_ORDER_128_BYTES ? 128 : host_cache_line();
}

/* The answer is only valid in RTS: adaptive routing, say, is a property of the path. */
static void warn_of_order(const struct resources *resources)
{
	const struct device *device = resources->device;
	uint64_t ordered;

	if (!resources->traffic.polls_memory || !adapter_of(&device->attr)->answers_order)
		return;
	ordered = ordered_bytes(resources->targets ? resources->targets[0] : resources->tx[0].qp);
	if (resources->recv_bytes > ordered)
		log_warning("%s may write the last byte of a message before others (ibv_query_qp_data_in_order()): of "
			    "messages above %llu bytes the times may be too short; --write_with_imm awaits all bytes",
			    device->name, (unsigned long long)ordered);
}
#else
static void warn_of_order(const struct resources *resources)
{
	(void)resources;
}
#endif

/* A device may keep fewer than it was told: ionic, a power of two less one. Valid in RTS. */
static void learn_outs(struct resources *resources)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {0};

	if (!resources->traffic.pulls || !resources->traffic.posts ||
	    ibv_query_qp(resources->tx[0].qp, &attr, IBV_QP_MAX_QP_RD_ATOMIC, &init) || !attr.max_rd_atomic ||
	    attr.max_rd_atomic >= resources->outs)
		return;
	resources->outs = attr.max_rd_atomic;
	if (resources->config->outs > 0)
		log_warning("%s keeps %u READs or atomics in flight, not the %d of %s", resources->device->name,
			    resources->outs, resources->config->outs, verbs_config_names(resources->config)->outs);
}

/* Once the path's MTU is known. */
static void limit_inline(struct resources *resources)
{
	if (!adapter_of(&resources->device->attr)->packet_inline || resources->traffic.transport->datagram ||
	    resources->inline_size <= resources->mtu)
		return;
	resources->inline_size = resources->mtu;
	if (resources->config->inline_size >= 0)
		log_warning("%s sends at most %u bytes inline, the path MTU, not the %d of --inline_size",
			    resources->device->name, resources->mtu, resources->config->inline_size);
}

static int connect_qps(struct resources *resources)
{
	int err;

	err = resources->connector->connect(resources);
	err = err ?: pace_set(resources);
	if (!err) {
		limit_inline(resources);
		learn_outs(resources);
		warn_of_order(resources);
	}
	return err;
}

int resources_connect(struct resources *resources, const struct endpoint *remote, unsigned num_remote)
{
	const bool own = lacks_outs(resources);
	int err;

	if (num_remote != resources->num_endpoints)
		return log_fail(-EINVAL, "the peer has %u queue pairs, but this side has %u", num_remote,
				resources->num_endpoints);
	err = check_paths(resources, remote);
	if (err)
		return err;
	memmove(resources->remote, remote, num_remote * sizeof(*remote));
	aim_at_lid(resources);
	if (remote[0].mtu >= 256 && remote[0].mtu < resources->mtu)
		resources->mtu = remote[0].mtu;
	if (resources->traffic.transport->one_packet)
		resources->max_message = resources->mtu;
	apply_answers_of_peer(resources, remote[0].out_reads);
	err = check_outs(resources, own);
	err = err ?: connect_qps(resources);
	return err || !resources->mkeys ? err : mkey_ops.configure(resources);
}

int resources_connect_early(struct resources *resources, uint32_t mtu, uint16_t port)
{
	int err;

	resources->remote_unknown = true;
	for (unsigned i = 0; i < resources->num_endpoints; i++)
		resources->remote[i] = (struct endpoint){.mtu = mtu, .cm_port = port};
	if (mtu >= 256 && mtu < resources->mtu)
		resources->mtu = mtu;
	if (resources->traffic.transport->one_packet)
		resources->max_message = resources->mtu;
	err = check_outs(resources, true);
	return err ? err : connect_qps(resources);
}

int resources_learn_remote(struct resources *resources)
{
	aim_at_lid(resources);
	return resources->connector->learn_remote(resources);
}

void resources_disconnect(struct resources *resources)
{
	resources->connector->disconnect(resources);
}

int resources_prepare(struct resources *resources, uint64_t size)
{
	if (size > resources->max_message)
		return log_fail(-EMSGSIZE, "a message of %llu bytes is too large for the path: at most %llu",
				(unsigned long long)size, (unsigned long long)resources->max_message);
	if (resources->config->data_validation) {
		const uint64_t header = resources->traffic.transport->recv_header_bytes;
		int err = slot_grid_of(resources->config, size, resources->recv_bytes - header, &resources->slots);

		if (err)
			return err;
	}
	return wr_prepare(resources, size);
}

int resources_let_in(struct resources *resources)
{
	return ethernet_steer(resources);
}

void resources_close(struct resources *resources)
{
	wr_close(resources);
	if (resources->connector && resources->connector->close)
		resources->connector->close(resources);
	for (unsigned i = 0; resources->sets && i < resources->num_sets; i++)
		queue_set_forget(&resources->sets[i]);
	ethernet_unsteer(resources);
	rss_close(resources);
	qp_close(resources);
	srq_close(resources);
	cq_close(resources);
	credit_close(resources);
	if (resources->mkeys)
		mkey_ops.close(resources);
	mr_close(resources);
	thread_domain_close(&resources->second_domain);
	thread_domain_close(&resources->domain);
	if (resources->second_pd)
		ibv_dealloc_pd(resources->second_pd);
	if (resources->pd)
		ibv_dealloc_pd(resources->pd);
	free(resources->remote);
	free(resources->local);
	free(resources->targets);
	free(resources->rx);
	free(resources->tx);
	free(resources->sets);
	*resources = (struct resources){0};
}
