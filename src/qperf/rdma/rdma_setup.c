// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Translates qperf's parameters for the layers below, and exchanges the endpoints of both sides' QPs. */
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory/memory.h"
#include "net/address.h"
#include "qperf/options/options.h"
#include "qperf/rdma/rdma_test.h"
#include "report/payload_share.h"
#include "util/log.h"
#include "util/units.h"
#include "verbs/ability.h"
#include "verbs/connect/cm.h"
#include "verbs/device/site.h"

#define TX_DEPTH	 128
#define RX_DEPTH	 512
#define CLASSIC_RX_DEPTH 1024 /* the number of sends that it has in flight */
#define WRITES_AGAIN	 1024 /* send queue entries for repeated writes */
#define QP_TIMEOUT	 14
#define MOST_RETRIES	 7

/* "mlx5_0:2"; "": the device that device_open() chooses. */
static int read_id(const char *id, struct rdma *rdma)
{
	const char *colon = strchr(id, ':');
	uint64_t port = 1;

	snprintf(rdma->config.device_name, sizeof(rdma->config.device_name), "%.*s",
		 (int)(colon ? (size_t)(colon - id) : strlen(id)), id);
	if (colon && units_parse_u64(colon + 1, 1, UINT8_MAX, &port))
		return log_fail(-EINVAL, "-i %s: the port of the device is not a number from 1 to %d", id, UINT8_MAX);
	rdma->config.port = (uint8_t)port;
	rdma->config.port_is_given = colon != NULL;
	return 0;
}

static const struct option_names rdma_names = {
	.port = "-i",
	.device_and_port = "-i",
	.mtu = "-mt",
	.outs = "-nr",
	.memory = "-m",
	.demand = "-m",
	.gid_or_mtu = "a smaller -mt",
	.rdma_cm = "-cm1",
};

bool rdma_has_numbers(const struct test_row *test)
{
	return test->measure == MEASURE_LATENCY && !(test->kind & RDMA_MEMORY) &&
	       !transport_traits(RDMA_TRANSPORT(test->kind))->reliable;
}

bool rdma_writes_again(const struct test_row *test)
{
	return test->kind & RDMA_MEMORY && !transport_traits(RDMA_TRANSPORT(test->kind))->reliable;
}

int rdma_configure(const struct qperf_session *session, struct rdma *rdma)
{
	const struct qperf_side *side = &session->side;
	const int kind = session->test->kind;
	const bool latency = session->test->measure == MEASURE_LATENCY;
	const uint64_t count = side->number[PARAM_NO_MSGS];
	const uint32_t tx_depth = rdma_writes_again(session->test) ? WRITES_AGAIN : latency ? 1 : TX_DEPTH;
	const struct traffic_spec spec = {
		.verb = RDMA_VERB(kind),
		.metric = latency ? METRIC_LAT : METRIC_BW,
		.transport = RDMA_TRANSPORT(kind),
		.atomic_type = kind & RDMA_SWAP ? ATOMIC_CMP_AND_SWAP : ATOMIC_FETCH_AND_ADD,
		.with_imm = kind & RDMA_IMM || rdma_has_numbers(session->test),
		.bidirectional = kind & RDMA_BOTH,
		.reversed = side->number[PARAM_FLIP] != 0,
	};

	rdma->traffic = traffic_of(&spec, session->client ? SIDE_CLIENT : SIDE_SERVER);
	/* Unlike in perftest the side that asks begins, unless memory is polled. */
	if (!rdma->traffic.polls_memory)
		rdma->traffic.begins = rdma->traffic.initiator;
	rdma->config = (struct verbs_config){
		.names = &rdma_names,
		.gid_index = CONFIG_AUTO,
		.mtu = (uint32_t)side->number[PARAM_MTU_SIZE],
		.sl = (uint8_t)side->number[PARAM_SERVICE_LEVEL],
		.src_path_bits = (uint8_t)side->number[PARAM_SRC_PATH_BITS],
		.alt_port = (uint8_t)side->number[PARAM_ALT_PORT],
		.qp_timeout = QP_TIMEOUT,
		.rdma_cm = side->number[PARAM_USE_CM] != 0,
		.cm_hint = "; use -cm1",
		.tos = CONFIG_AUTO,
		.retry_count = MOST_RETRIES,
		.rate_gbits = value_static_rate(side->static_rate),
		.rate_hint = ", as a static rate asks it to (--static_rate)",
		.transport = spec.transport,
		.datagram_hint = "; use ud_bw, ud_bi_bw or ud_lat",
		.traffic = rdma->traffic,
		.num_qps = 1,
		.shares_receives = transport_traits(spec.transport)->needs_srq,
		.flow_control = !latency && (spec.verb == VERB_SEND || spec.with_imm) &&
				session->control->dialect->exchanges_endpoints &&
				!transport_traits(spec.transport)->needs_srq,
		.tx_depth = count && count < tx_depth ? (uint32_t)count : tx_depth,
		.rx_depth = session->control->dialect->exchanges_endpoints ? RX_DEPTH : CLASSIC_RX_DEPTH,
		.post_list = 1,
		.recv_post_list = 1,
		.inline_size = CONFIG_AUTO,
		.outs = side->number[PARAM_RD_ATOMIC] ? (int)side->number[PARAM_RD_ATOMIC] : CONFIG_AUTO,
		.events = !side->number[PARAM_POLL_MODE] && !(kind & RDMA_MEMORY),
		.size = spec.verb == VERB_ATOMIC ? RDMA_ATOMIC_BYTES : side->number[PARAM_MSG_SIZE],
		.memory = &memory_host,
	};
	if (kind & RDMA_VERIFY) /* each request has its own place for the returned value */
		rdma->config.size = (uint64_t)VERIFY_MAX_DEPTH * RDMA_ATOMIC_BYTES;
	return read_id(side->id, rdma);
}

static int rdma_look(void *owner)
{
	const struct qperf_session *session = owner;

	if (control_look(session->control) != CONTROL_GONE)
		return 0;
	return log_fail(-ECONNRESET, "the other side closed the connection while the queue pairs were being connected");
}

/*
 * rdma_cm chooses the device by the address, which need not be that of the control connection: on RoCE v2 the GID of
 * the open device is one. A link-local address needs an interface as well, so *address is kept.
 */
static void address_of_gid(uint8_t kind, const uint8_t gid[16], struct sockaddr_storage *address)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

	memcpy(&in6.sin6_addr, gid, sizeof(in6.sin6_addr));
	if (kind != GID_ROCE_V2 || IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr))
		return;
	memset(address, 0, sizeof(*address));
	memcpy(address, &in6, sizeof(in6));
	address_unmap(address);
}

/* False for the software device, whose rdma_cm uses the host's addresses, whatever its GIDs are. */
static bool goes_by_gid(const struct qperf_session *session, const struct rdma *rdma)
{
	return session->control->dialect->exchanges_endpoints && rdma->config.rdma_cm && !rdma->device.is_software &&
	       rdma->device.gid_index >= 0;
}

/* On the server, which reports it to the client. */
static int check_sites(const struct rdma_side *own, const struct rdma_side *peer)
{
	char reason[LOG_TEXT_SIZE];
	const int ret = site_check((struct site_side){&own->site, own->host},
				   (struct site_side){&peer->site, peer->host}, "-i", reason, sizeof(reason));

	return ret ? log_fail(ret, "%s", reason) : 0;
}

int rdma_connect_by_endpoints(struct qperf_session *session, struct rdma *rdma)
{
	struct rdma_side own = {.endpoint = rdma->resources.local[0]}, peer = {0};
	int ret = 0;

	site_describe(&rdma->device, &own.site);
	gethostname(own.host, sizeof(own.host) - 1);
	if (session->client)
		ret = control_send_frame(session->control, MESSAGE_ENDPOINTS, &own);
	if (!ret)
		ret = control_receive_frame(session->control, MESSAGE_ENDPOINTS, &peer);
	if (!ret && !session->client)
		ret = check_sites(&own, &peer);
	if (!ret && !session->client)
		ret = control_send_frame(session->control, MESSAGE_ENDPOINTS, &own);
	if (ret)
		return ret;
	rdma->resources.remote[0] = peer.endpoint;
	if (session->client && goes_by_gid(session, rdma))
		address_of_gid(peer.endpoint.gid_kind, peer.endpoint.gid, &rdma->resources.cm_setup.addresses.peer);
	/* If there are two QPs, one endpoint describes both. */
	if (rdma->resources.targets) {
		rdma->resources.remote[1] = peer.endpoint;
		rdma->resources.remote[1].qpn = peer.endpoint.target_qpn;
	}
	return resources_connect(&rdma->resources, rdma->resources.remote, rdma->resources.num_endpoints);
}

int rdma_check_size(struct qperf_session *session, struct rdma *rdma, uint64_t most)
{
	if (rdma->config.size <= most)
		return 0;
	if (rdma->traffic.transport->one_packet && rdma->config.size == session->test->default_size) {
		rdma->config.size = most;
		session->side.number[PARAM_MSG_SIZE] = most;
		return 0;
	}
	return log_fail(-EMSGSIZE,
			"%s: a message size of %" PRIu64 " bytes: %s can carry %" PRIu64 " at most (--msg_size)",
			session->test->name, rdma->config.size, rdma->device.name, most);
}

void rdma_find_path(const struct qperf_session *session, const struct rdma *rdma, uint32_t mtu)
{
	const int kind = session->test->kind;
	struct payload_path *path = &session->sides->path;

	*path = (struct payload_path){
		.verb = rdma->traffic.verb,
		.transport = rdma->config.transport,
		.with_imm = kind & RDMA_IMM,
		.bidirectional = kind & RDMA_BOTH,
		.sums = kind & RDMA_BOTH,
		.mtu = mtu,
		.pcie_writes = rdma->traffic.sink,
	};
	device_payload_path(&rdma->device, path);
}

int rdma_look_for(const struct qperf_session *session, char *host, size_t size)
{
	const struct address server = {.host = host, .port = 1};
	struct rdma rdma = {.config = {.num_qps = 0}};
	char text[INET6_ADDRSTRLEN];
	int ret = rdma_configure(session, &rdma);

	if (!ret)
		ret = device_open(&rdma.device, &rdma.config);
	if (!ret)
		ret = ability_check(&rdma.device, &rdma.config);
	if (!ret)
		ret = ability_check_type(&rdma.device, &rdma.config);
	if (!ret && session->share_option) {
		rdma_find_path(session, &rdma, device_mtu(&rdma.device, &rdma.config));
		ret = payload_share_check(&session->sides->path, session->share_option, rdma.device.name);
	}
	if (!ret && rdma.config.rdma_cm &&
	    cm_own_host(&rdma.device, host, address_loopback_family(&server), text, sizeof(text)) == text)
		snprintf(host, size, "%s", text);
	device_close(&rdma.device);
	return ret;
}

int rdma_open_resources(struct qperf_session *session, struct rdma *rdma)
{
	struct cm_setup setup = {
		.addresses = {.local = session->control->local, .peer = session->control->peer},
		.is_active = session->client,
		.timeout_ms = session->control->channel.timeout_ms,
		.look = rdma_look,
		.owner = session,
	};
	uint64_t most;
	int ret;

	/* An IPv4-mapped address has the same GID as IPv4. */
	address_unmap(&setup.addresses.local);
	address_unmap(&setup.addresses.peer);
	ret = device_open(&rdma->device, &rdma->config);
	if (ret)
		return ret;
	/* rdma_cm must choose the open device. */
	snprintf(setup.addresses.device, sizeof(setup.addresses.device), "%s", rdma->device.name);
	setup.addresses.port = rdma->device.port;
	ret = cm_choose_address(&rdma->device, &rdma->config, &setup.addresses);
	if (!ret && goes_by_gid(session, rdma))
		address_of_gid(rdma->device.gid_kind, rdma->device.gid.raw, &setup.addresses.local);
	/* Before the size: another size would be no help. */
	if (!ret)
		ret = ability_check_transport(&rdma->device, &rdma->config);
	if (!ret)
		ret = device_max_message(&rdma->device, &rdma->config, &most);
	if (!ret)
		ret = rdma_check_size(session, rdma, most);
	if (ret)
		return ret;
	async_event_begin(&rdma->events, &rdma->device);
	if (session->client)
		return resources_open(&rdma->resources, &rdma->device, &rdma->config, &setup, rdma->config.size);
	ret = memory_lock_check(session, &rdma->config, &rdma->device);
	if (!ret)
		ret = resources_open(&rdma->resources, &rdma->device, &rdma->config, &setup, rdma->config.size);
	memory_lock_release();
	return ret;
}

int rdma_connect_classic(struct qperf_session *session, struct rdma *rdma)
{
	struct resources *resources = &rdma->resources;
	struct control *control = session->control;
	const struct endpoint *local = &resources->local[0];
	struct classic_node node;
	uint32_t port = local->cm_port;
	int ret = session->client ? control_receive_frame(control, FRAME_READY, &port)
				  : control_send_frame(control, FRAME_READY, &port);

	if (!ret)
		ret = resources_connect_early(resources, 0 /* rdma_cm knows the MTU */, (uint16_t)port);
	node = (struct classic_node){
		.vaddr = local->vaddr, .qpn = local->qpn, .psn = local->psn, .rkey = local->rkey, .rd_atomic = 1};
	if (!ret)
		ret = control_send_frame(control, MESSAGE_ENDPOINTS, &node);
	if (!ret)
		ret = control_receive_frame(control, MESSAGE_ENDPOINTS, &node);
	if (ret)
		return ret;
	resources->remote[0].vaddr = node.vaddr;
	resources->remote[0].rkey = node.rkey;
	rdma->parts = true;
	return 0;
}
