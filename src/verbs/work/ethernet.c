// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Frames and steering rules of raw packet QPs; see ethernet.h. A rule matches what the other side sends: both are made
 * from the same struct frame_spec, with its ends swapped.
 */
#include "verbs/work/ethernet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frames/frame.h"
#include "memory/memory.h"
#include "util/log.h"
#include "verbs/memory/mr.h"
#include "verbs/memory/slots.h"
#include "verbs/qp/qp_attr.h"
#include "verbs/resources.h"

#define LEAST_MESSAGE 64 /* shortest Ethernet frame, including the check sequence */

/* Flows and QPs only differ in their ports. */
static void choose_ports(const struct frame_config *frames, unsigned qp, unsigned flow, struct frame_spec *spec)
{
	const unsigned number = qp * frames->flows + flow;

	if (spec->transport == FRAME_TRANSPORT_NONE)
		return;
	spec->source_port = (uint16_t)(spec->source_port + number);
	spec->destination_port = (uint16_t)(spec->destination_port + number);
}

struct frame_spec ethernet_sent(const struct verbs_config *config, unsigned qp, unsigned flow, unsigned number)
{
	const struct frame_config *frames = &config->frames;
	struct frame_spec spec = frames->sent;

	choose_ports(frames, qp, flow, &spec);
	spec.flow_label = qp_flow_label(config, qp);
	if (frames->counts_priority)
		spec.vlan_priority = (uint8_t)(number % FRAME_PRIORITIES);
	return spec;
}

struct frame_spec ethernet_received(const struct verbs_config *config, unsigned qp, unsigned flow)
{
	const struct frame_config *frames = &config->frames;
	struct frame_spec spec = frames->received;

	choose_ports(frames, qp, flow, &spec);
	return spec;
}

uint32_t ethernet_least(const struct verbs_config *config)
{
	const uint32_t bytes = frame_header_bytes(&config->frames.sent) + (config->traffic.bursts ? MARK_BYTES : 0) +
			       config->traffic.transport->trailer_bytes;

	return bytes > LEAST_MESSAGE ? bytes : LEAST_MESSAGE;
}

uint32_t ethernet_most(const struct verbs_config *config)
{
	const uint32_t bytes = frame_most_bytes(&config->frames.sent) + config->traffic.transport->trailer_bytes;

	return bytes < config->mtu ? bytes : config->mtu;
}

static int lay_one(struct resources *resources, unsigned qp, unsigned number, uint8_t *slot, uint8_t *frame,
		   uint32_t bytes)
{
	const struct frame_config *frames = &resources->config->frames;
	const struct buffer *buffer = mr_buffer(resources, qp);
	const struct frame_spec spec =
		ethernet_sent(resources->config, qp, number / frames->flows_burst % frames->flows, number);
	int err;

	/* Checksums cover the payload, which has been filled in already. */
	buffer_copy_out(buffer, frame, slot, bytes);
	if (resources->traffic.bursts)
		mark_write(frame + frame_header_bytes(&spec), (struct mark){.number = number});
	err = frame_build(&spec, frame, bytes);
	if (err)
		log_error("cannot build a frame of %u bytes: %s", bytes, strerror(-err));
	else
		buffer_copy_in(buffer, slot, frame, bytes);
	return err;
}

int ethernet_lay(struct resources *resources, uint64_t size)
{
	const struct frame_slots slots = frame_slots(resources->config, size, resources->page_bytes);
	const uint32_t bytes = (uint32_t)size - resources->traffic.transport->trailer_bytes;
	uint8_t *frame = malloc(bytes);
	int err = 0;

	if (!frame)
		return log_fail(-ENOMEM, "no memory for a frame of %u bytes", bytes);
	for (unsigned qp = 0; qp < resources->num_qps; qp++)
		for (unsigned i = 0; !err && i < slots.count; i++)
			err = lay_one(resources, qp, i, mr_send_region(resources, qp) + (uint64_t)i * slots.step, frame,
				      bytes);
	free(frame);
	return err;
}

/* --- rules --- */

static void add_spec(struct ethernet_rule *rule, const void *spec, size_t size)
{
	memcpy((uint8_t *)rule + rule->attr.size, spec, size);
	rule->attr.size = (uint16_t)(rule->attr.size + size);
	rule->attr.num_of_specs++;
}

static void add_ethernet(struct ethernet_rule *rule, const struct frame_spec *spec)
{
	struct ibv_flow_spec_eth ethernet = {.type = IBV_FLOW_SPEC_ETH, .size = sizeof(ethernet)};

	memcpy(ethernet.val.dst_mac, spec->destination, FRAME_MAC_BYTES);
	memset(ethernet.mask.dst_mac, 0xff, FRAME_MAC_BYTES);
	if (spec->ethertype) {
		ethernet.val.ether_type = htons(spec->ethertype);
		ethernet.mask.ether_type = 0xffff;
	}
	add_spec(rule, &ethernet, sizeof(ethernet));
}

static bool is_given(const struct frame_address *address)
{
	static const struct frame_address none;

	return memcmp(address->bytes, none.bytes, sizeof(none.bytes)) != 0;
}

static void add_ipv4(struct ethernet_rule *rule, const struct frame_spec *spec)
{
	struct ibv_flow_spec_ipv4 ipv4 = {.type = IBV_FLOW_SPEC_IPV4, .size = sizeof(ipv4)};

	memcpy(&ipv4.val.src_ip, spec->from.bytes, sizeof(ipv4.val.src_ip));
	memcpy(&ipv4.val.dst_ip, spec->to.bytes, sizeof(ipv4.val.dst_ip));
	ipv4.mask.src_ip = is_given(&spec->from) ? UINT32_MAX : 0;
	ipv4.mask.dst_ip = is_given(&spec->to) ? UINT32_MAX : 0;
	add_spec(rule, &ipv4, sizeof(ipv4));
}

static void add_ipv6(struct ethernet_rule *rule, const struct frame_spec *spec)
{
	struct ibv_flow_spec_ipv6 ipv6 = {.type = IBV_FLOW_SPEC_IPV6, .size = sizeof(ipv6)};

	memcpy(ipv6.val.src_ip, spec->from.bytes, sizeof(ipv6.val.src_ip));
	memcpy(ipv6.val.dst_ip, spec->to.bytes, sizeof(ipv6.val.dst_ip));
	memset(ipv6.mask.src_ip, is_given(&spec->from) ? 0xff : 0, sizeof(ipv6.mask.src_ip));
	memset(ipv6.mask.dst_ip, is_given(&spec->to) ? 0xff : 0, sizeof(ipv6.mask.dst_ip));
	add_spec(rule, &ipv6, sizeof(ipv6));
}

static void add_transport(struct ethernet_rule *rule, const struct frame_spec *spec)
{
	struct ibv_flow_spec_tcp_udp ports = {
		.type = spec->transport == FRAME_TRANSPORT_TCP ? IBV_FLOW_SPEC_TCP : IBV_FLOW_SPEC_UDP,
		.size = sizeof(ports),
		.val = {.dst_port = htons(spec->destination_port), .src_port = htons(spec->source_port)},
		.mask = {.dst_port = 0xffff, .src_port = 0xffff},
	};

	add_spec(rule, &ports, sizeof(ports));
}

/* A rule matches the destination and the addresses of an incoming frame. */
static void rule_fill(struct ethernet_rule *rule, uint8_t port, const struct frame_spec *spec)
{
	*rule = (struct ethernet_rule){
		.attr = {.type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(rule->attr), .port = port}};
	add_ethernet(rule, spec);
	if (spec->network == FRAME_NETWORK_IPV4)
		add_ipv4(rule, spec);
	else if (spec->network == FRAME_NETWORK_IPV6)
		add_ipv6(rule, spec);
	if (spec->transport != FRAME_TRANSPORT_NONE)
		add_transport(rule, spec);
}

static int ethernet_refused(const struct resources *resources, const char *what)
{
	const int err = errno ? errno : EIO;

	return log_fail(-err, "%s refuses %s: %s%s", resources->device->name, what, strerror(err),
			err == EPERM || err == EACCES ? "; steering rules need CAP_NET_RAW, and on some devices root"
			: err == EOPNOTSUPP ? "; a device may only copy all frames, which --sniffer asks for (bnxt_re)"
					    : "");
}

static int create_flow(struct resources *resources, unsigned qp, struct ibv_flow_attr *attr, const char *what,
		       struct ibv_flow **flow)
{
	struct ibv_flow *created;

	errno = 0;
	created = ibv_create_flow(resources->tx[qp].qp, attr);
	if (!created)
		return ethernet_refused(resources, what);
	*flow = created;
	return 0;
}

static int add_rule(struct resources *resources, unsigned qp, struct ibv_flow_attr *attr, const char *what)
{
	const int err = create_flow(resources, qp, attr, what, &resources->rules[resources->num_rules]);

	resources->num_rules += !err;
	return err;
}

/* A rule for the whole port, all of whose frames go to one QP. */
static int add_special(struct resources *resources, enum ibv_flow_attr_type type, const char *what)
{
	struct ibv_flow_attr attr = {.type = type, .size = sizeof(attr), .port = resources->device->port};

	return add_rule(resources, 0, &attr, what);
}

unsigned ethernet_num_rules(const struct verbs_config *config)
{
	return config->frames.received.transport == FRAME_TRANSPORT_NONE ? 1 : config->num_qps;
}

int ethernet_steer(struct resources *resources)
{
	const struct verbs_config *config = resources->config;
	const struct frame_config *frames = &config->frames;
	const unsigned num_qps = ethernet_num_rules(config);
	int err = 0;

	/* The rules of the first size last. */
	if (!resources->traffic.transport->frames || !resources->traffic.receives || resources->rules)
		return 0;
	resources->rules = calloc((size_t)num_qps * frames->flows + 2, sizeof(struct ibv_flow *));
	if (!resources->rules)
		return log_fail(-ENOMEM, "no memory for the steering rules of %u queue pairs", num_qps);
	for (unsigned qp = 0; qp < num_qps; qp++) {
		for (unsigned flow = 0; !err && flow < frames->flows; flow++) {
			const struct frame_spec spec = ethernet_received(config, qp, flow);
			struct ethernet_rule rule;

			rule_fill(&rule, resources->device->port, &spec);
			err = add_rule(resources, qp, &rule.attr, "a steering rule");
		}
	}
	if (!err && frames->promiscuous)
		err = add_special(resources, IBV_FLOW_ATTR_ALL_DEFAULT, "a rule for all frames (--promiscuous)");
	if (!err && frames->sniffer)
		err = add_special(resources, IBV_FLOW_ATTR_SNIFFER, "a rule for copies of all frames (--sniffer)");
	return err;
}

void ethernet_unsteer(struct resources *resources)
{
	for (unsigned i = 0; i < resources->num_rules; i++)
		ibv_destroy_flow(resources->rules[i]);
	free(resources->rules);
	resources->rules = NULL;
	resources->num_rules = 0;
}

/* --- raw_ethernet_fs_rate --- */

static void rule_distinguish(struct frame_spec *spec, uint64_t number)
{
	if (spec->transport != FRAME_TRANSPORT_NONE) {
		spec->destination_port = (uint16_t)(spec->destination_port + number);
		spec->source_port = (uint16_t)(spec->source_port + (number >> 16));
		return;
	}
	/* The half of a MAC address that its owner assigns (IEEE 802). */
	for (unsigned i = FRAME_MAC_BYTES - 1; i >= FRAME_MAC_BYTES / 2; i--) {
		number += spec->destination[i];
		spec->destination[i] = (uint8_t)number;
		number >>= 8;
	}
}

void ethernet_rule_fill(const struct resources *resources, uint64_t number, struct ethernet_rule *rule)
{
	struct frame_spec spec = ethernet_received(resources->config, 0 /* qp */, 0 /* flow */);

	rule_distinguish(&spec, number);
	rule_fill(rule, resources->device->port, &spec);
}

int ethernet_rule_create(struct resources *resources, unsigned qp, struct ethernet_rule *rule, struct ibv_flow **flow)
{
	return create_flow(resources, qp, &rule->attr, "a steering rule", flow);
}

int ethernet_rule_destroy(struct resources *resources, struct ibv_flow *flow)
{
	const int err = ibv_destroy_flow(flow);

	if (err)
		log_error("%s cannot destroy a steering rule: %s", resources->device->name, strerror(err));
	return -err;
}
