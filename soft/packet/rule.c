// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Matches frames against steering rules. See rule.h. */
#include "packet/rule.h"

#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#define PORT_NUMBER 1
#define IPV4_TOS    1u /* offsets in the headers */
#define IPV4_FLAGS  6u
#define IPV4_TTL    8u
#define IPV4_SOURCE 12u
#define IPV6_HOPS   7u
#define IPV6_SOURCE 8u
#define WIRE_DF	    2u /* of IPv4's three flags, as on the wire ... */
#define WIRE_MF	    1u
#define FILTER_DF   2u /* ... and in a filter: the kernel's enum ib_ipv4_flags */
#define FILTER_MF   4u
#define FLOW_LABEL  0xfffffu

/* Where the specification of a header is stored, and its required size. */
struct place {
	void *to;
	size_t size;
};

static struct place rule_place(struct soft_rule *rule, uint32_t type)
{
	switch (type) {
	case IBV_FLOW_SPEC_ETH:
		return (struct place){&rule->ethernet, sizeof(rule->ethernet)};
	case IBV_FLOW_SPEC_IPV4_EXT:
		return (struct place){&rule->ipv4, sizeof(rule->ipv4)};
	case IBV_FLOW_SPEC_IPV6:
		return (struct place){&rule->ipv6, sizeof(rule->ipv6)};
	case IBV_FLOW_SPEC_TCP:
	case IBV_FLOW_SPEC_UDP:
		return (struct place){&rule->transport, sizeof(rule->transport)};
	default:
		return (struct place){0};
	}
}

/* The plain IPv4 specification is the extended one without the later fields. */
static struct ibv_flow_spec_ipv4_ext ipv4_extended(const struct ibv_flow_spec_ipv4 *plain)
{
	return (struct ibv_flow_spec_ipv4_ext){
		.type = IBV_FLOW_SPEC_IPV4_EXT,
		.size = sizeof(struct ibv_flow_spec_ipv4_ext),
		.val = {.src_ip = plain->val.src_ip, .dst_ip = plain->val.dst_ip},
		.mask = {.src_ip = plain->mask.src_ip, .dst_ip = plain->mask.dst_ip},
	};
}

/* At most one of each kind. */
static int header_read(struct soft_rule *rule, const struct ibv_flow_spec *spec)
{
	struct ibv_flow_spec_ipv4_ext extended;
	const void *from = spec;
	struct place place;
	size_t size = spec->hdr.size;
	uint32_t type = spec->hdr.type;

	if (type == IBV_FLOW_SPEC_IPV4) {
		if (size != sizeof(spec->ipv4))
			return -EINVAL;
		extended = ipv4_extended(&spec->ipv4);
		from = &extended;
		size = sizeof(extended);
		type = IBV_FLOW_SPEC_IPV4_EXT;
	}
	place = rule_place(rule, type);
	if (!place.to)
		return -EOPNOTSUPP;
	if (size != place.size || *(const uint32_t *)place.to)
		return -EINVAL;
	memcpy(place.to, from, size);
	return 0;
}

static int spec_read(struct soft_rule *rule, const struct ibv_flow_spec *spec)
{
	switch (spec->hdr.type) {
	case IBV_FLOW_SPEC_ACTION_TAG:
		if (spec->hdr.size != sizeof(spec->flow_tag) || rule->tag)
			return -EINVAL;
		rule->tag = spec->flow_tag.tag_id;
		return 0;
	case IBV_FLOW_SPEC_ACTION_DROP:
		rule->drops = true;
		return spec->hdr.size == sizeof(spec->drop) ? 0 : -EINVAL;
	default:
		return header_read(rule, spec);
	}
}

static int attr_check(const struct ibv_flow_attr *attr)
{
	if (attr->flags & ~(uint32_t)(IBV_FLOW_ATTR_FLAGS_DONT_TRAP | IBV_FLOW_ATTR_FLAGS_EGRESS) || attr->comp_mask)
		return -EINVAL;
	if (attr->flags & IBV_FLOW_ATTR_FLAGS_EGRESS)
		return -EOPNOTSUPP;
	if (attr->type > IBV_FLOW_ATTR_SNIFFER || attr->port != PORT_NUMBER)
		return -EINVAL;
	return attr->type != IBV_FLOW_ATTR_NORMAL && (attr->flags || attr->num_of_specs) ? -EINVAL : 0;
}

/* The specifications follow each other; only some programs include them in attr->size. */
int soft_rule_read(struct soft_rule *rule, const struct ibv_flow_attr *attr)
{
	const uint8_t *at = (const uint8_t *)(attr + 1);
	int err = attr_check(attr);

	if (err)
		return err;
	*rule = (struct soft_rule){.type = attr->type,
				   .priority = attr->priority,
				   .does_not_trap = attr->flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP};
	for (unsigned int i = 0; i < attr->num_of_specs && !err; i++) {
		struct ibv_flow_spec spec = {.hdr = {.size = 0}};

		memcpy(&spec.hdr, at, sizeof(spec.hdr));
		if (spec.hdr.size < sizeof(spec.hdr))
			return -EINVAL;
		if (spec.hdr.size > sizeof(spec))
			return -EOPNOTSUPP;
		memcpy(&spec, at, spec.hdr.size);
		err = spec_read(rule, &spec);
		at += spec.hdr.size;
	}
	if (!err && rule->drops && rule->does_not_trap)
		return -EINVAL;
	/* A frame has one network header, and either TCP or UDP. */
	return !err && rule->ipv4.type && rule->ipv6.type ? -EINVAL : err;
}

static bool bits_match(const void *value, const void *filter, const void *mask, size_t size)
{
	const uint8_t *left = value, *right = filter, *which = mask;

	for (size_t i = 0; i < size; i++) {
		if ((left[i] ^ right[i]) & which[i])
			return false;
	}
	return true;
}

static bool ethernet_matches(const struct ibv_flow_spec_eth *spec, const struct soft_frame *frame)
{
	uint16_t type = htobe16(frame->ether_type), tag = htobe16(frame->tag);

	/* Both addresses, the destination first, as in the frame. */
	if (!bits_match(frame->data, &spec->val, &spec->mask, 2 * FRAME_MAC_SIZE))
		return false;
	if (spec->mask.vlan_tag && !frame->has_tag)
		return false;
	return bits_match(&type, &spec->val.ether_type, &spec->mask.ether_type, sizeof(type)) &&
	       bits_match(&tag, &spec->val.vlan_tag, &spec->mask.vlan_tag, sizeof(tag));
}

static bool ipv4_matches(const struct ibv_flow_spec_ipv4_ext *spec, const struct soft_frame *frame)
{
	const uint8_t *header = frame->data + frame->network;
	struct ibv_flow_ipv4_ext_filter value;
	uint8_t flags;

	if (frame->version != 4)
		return false;
	flags = header[IPV4_FLAGS] >> 5;
	memcpy(&value.src_ip, header + IPV4_SOURCE, sizeof(value.src_ip));
	memcpy(&value.dst_ip, header + IPV4_SOURCE + sizeof(value.src_ip), sizeof(value.dst_ip));
	value.proto = frame->protocol;
	value.tos = header[IPV4_TOS];
	value.ttl = header[IPV4_TTL];
	value.flags = (uint8_t)((flags & WIRE_DF ? FILTER_DF : 0) | (flags & WIRE_MF ? FILTER_MF : 0));
	return bits_match(&value, &spec->val, &spec->mask, sizeof(value));
}

static bool ipv6_matches(const struct ibv_flow_spec_ipv6 *spec, const struct soft_frame *frame)
{
	const uint8_t *header = frame->data + frame->network;
	const struct ibv_flow_ipv6_filter *val = &spec->val, *mask = &spec->mask;
	uint32_t first, label;
	uint8_t traffic_class;

	if (frame->version != 6)
		return false;
	memcpy(&first, header, sizeof(first));
	label = htobe32(be32toh(first) & FLOW_LABEL);
	traffic_class = (uint8_t)(be32toh(first) >> 20);
	return bits_match(header + IPV6_SOURCE, val->src_ip, mask->src_ip, sizeof(val->src_ip)) &&
	       bits_match(header + IPV6_SOURCE + sizeof(val->src_ip), val->dst_ip, mask->dst_ip, sizeof(val->dst_ip)) &&
	       bits_match(&label, &val->flow_label, &mask->flow_label, sizeof(label)) &&
	       bits_match(&frame->protocol, &val->next_hdr, &mask->next_hdr, 1) &&
	       bits_match(&traffic_class, &val->traffic_class, &mask->traffic_class, 1) &&
	       bits_match(header + IPV6_HOPS, &val->hop_limit, &mask->hop_limit, 1);
}

static bool transport_matches(const struct ibv_flow_spec_tcp_udp *spec, const struct soft_frame *frame)
{
	const uint8_t *header = frame->data + frame->transport;
	struct ibv_flow_tcp_udp_filter value;

	if (!frame->version || frame->protocol != (spec->type == IBV_FLOW_SPEC_TCP ? IPPROTO_TCP : IPPROTO_UDP))
		return false;
	/* A later fragment has no ports. */
	if (!frame->transport)
		return !spec->mask.src_port && !spec->mask.dst_port;
	memcpy(&value.src_port, header, sizeof(value.src_port));
	memcpy(&value.dst_port, header + sizeof(value.src_port), sizeof(value.dst_port));
	return bits_match(&value, &spec->val, &spec->mask, sizeof(value));
}

bool soft_rule_matches(const struct soft_rule *rule, const struct soft_frame *frame)
{
	return frame->length >= FRAME_HEADER_SIZE &&
	       (!rule->ethernet.type || ethernet_matches(&rule->ethernet, frame)) &&
	       (!rule->ipv4.type || ipv4_matches(&rule->ipv4, frame)) &&
	       (!rule->ipv6.type || ipv6_matches(&rule->ipv6, frame)) &&
	       (!rule->transport.type || transport_matches(&rule->transport, frame));
}

/* From the end: programs that create many rules give them the same priority. */
void soft_rule_insert(struct soft_rule_table *table, struct soft_rule *rule)
{
	struct soft_rule *before = table->last;

	while (before && before->priority > rule->priority)
		before = before->previous;
	rule->previous = before;
	rule->next = before ? before->next : table->first;
	*(before ? &before->next : &table->first) = rule;
	*(rule->next ? &rule->next->previous : &table->last) = rule;
}

void soft_rule_remove(struct soft_rule_table *table, struct soft_rule *rule)
{
	*(rule->previous ? &rule->previous->next : &table->first) = rule->next;
	*(rule->next ? &rule->next->previous : &table->last) = rule->previous;
}

/* Rules with the same specifications: their queue pairs share the frames. */
static bool is_twin(const struct soft_rule *rule, const struct soft_rule *first)
{
	return rule->priority == first->priority && !rule->does_not_trap &&
	       memcmp(&rule->ethernet, &first->ethernet, sizeof(rule->ethernet)) == 0 &&
	       memcmp(&rule->ipv4, &first->ipv4, sizeof(rule->ipv4)) == 0 &&
	       memcmp(&rule->ipv6, &first->ipv6, sizeof(rule->ipv6)) == 0 &&
	       memcmp(&rule->transport, &first->transport, sizeof(rule->transport)) == 0;
}

/* Returns whether there was any. */
static bool deliver_by_type(const struct soft_rule_table *table, enum ibv_flow_attr_type type,
			    void (*deliver)(struct soft_rule *rule, void *argument), void *argument)
{
	bool is_any = false;

	for (struct soft_rule *rule = table->first; rule; rule = rule->next) {
		if (rule->type != type)
			continue;
		deliver(rule, argument);
		is_any = true;
	}
	return is_any;
}

void soft_rule_steer(const struct soft_rule_table *table, const struct soft_frame *frame,
		     void (*deliver)(struct soft_rule *rule, void *argument), void *argument)
{
	const struct soft_rule *first = NULL;

	if (frame->length < FRAME_HEADER_SIZE)
		return;
	deliver_by_type(table, IBV_FLOW_ATTR_SNIFFER, deliver, argument);
	for (struct soft_rule *rule = table->first; rule; rule = rule->next) {
		if (rule->type != IBV_FLOW_ATTR_NORMAL || (first && !is_twin(rule, first)) ||
		    !soft_rule_matches(rule, frame))
			continue;
		if (!rule->does_not_trap)
			first = rule;
		if (rule->drops)
			return;
		deliver(rule, argument);
	}
	if (first)
		return;
	if (soft_frame_is_multicast(frame) && deliver_by_type(table, IBV_FLOW_ATTR_MC_DEFAULT, deliver, argument))
		return;
	deliver_by_type(table, IBV_FLOW_ATTR_ALL_DEFAULT, deliver, argument);
}
