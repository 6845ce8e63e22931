// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does the software device parse frames as the standards define them, and steer them as ibv_create_flow(3) says? */
#include <arpa/inet.h>
#include <infiniband/verbs.h>

#include "cmocka_all.h"
#include "packet/frame.h"
#include "packet/rss.h"
#include "packet/rule.h"

#define SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* UDP from 192.0.2.1:4660 to 198.51.100.2:22136, and TCP from 2001:db8::1 to 2001:db8::2. */
static const uint8_t udp4[] = {
	0x02, 0,    0,	  0,	0,    0xb, 0x02, 0,    0,    0,	  0,   0xa, 0x08, 0x00, 0x45, 0x10, 0x00,
	0x25, 0x12, 0x34, 0x40, 0x00, 64,  17,	 0x00, 0x00, 192, 0,   2,   1,	  198,	51,   100,  2,
	0x12, 0x34, 0x56, 0x78, 0x00, 17,  0x00, 0x00, 'p',  'e', 'r', 'f', 't',  'e',	's',  't',  '!',
};

static const uint8_t tcp6[] = {
	0x33, 0x33, 0,	  0,	0,    1,    0x02, 0, 0, 0, 0, 0xa, 0x86, 0xdd, 0x61, 0x23, 0x45, 0x67, 0x00, 24,   6,
	33,   0x20, 0x01, 0x0d, 0xb8, 0,    0,	  0, 0, 0, 0, 0,   0,	 0,    0,    0,	   1,	 0x20, 0x01, 0x0d, 0xb8,
	0,    0,    0,	  0,	0,    0,    0,	  0, 0, 0, 0, 2,   0x12, 0x34, 0x56, 0x78, 0,	 0,    0,    1,	   0,
	0,    0,    0,	  0x50, 0x02, 0x20, 0x00, 0, 0, 0, 0, 'a', 'b',	 'c',  'd',
};

static struct soft_frame parsed(const void *data, uint32_t length)
{
	struct soft_frame frame;

	soft_frame_parse(&frame, data, length);
	return frame;
}

/* With a tag behind the addresses; to be freed. */
static uint8_t *tagged(const uint8_t *frame, uint32_t length, uint16_t type, uint16_t tag)
{
	uint8_t *copy = malloc(length + 4);

	assert_non_null(copy);
	memcpy(copy, frame, 12);
	copy[12] = (uint8_t)(type >> 8);
	copy[13] = (uint8_t)type;
	copy[14] = (uint8_t)(tag >> 8);
	copy[15] = (uint8_t)tag;
	memcpy(copy + 16, frame + 12, length - 12);
	return copy;
}

TEST(test_headers_are_found)
{
	struct soft_frame frame = parsed(udp4, sizeof(udp4));
	uint8_t *once = tagged(udp4, sizeof(udp4), 0x8100, 0xa123), *twice = tagged(once, sizeof(udp4) + 4, 0x88a8, 7);

	assert_int_equal(frame.ether_type, 0x0800);
	assert_int_equal(frame.network, 14);
	assert_int_equal(frame.version, 4);
	assert_int_equal(frame.protocol, 17);
	assert_int_equal(frame.transport, 34);
	assert_int_equal(frame.end, sizeof(udp4));
	assert_false(frame.has_tag);
	assert_false(soft_frame_is_multicast(&frame));
	frame = parsed(once, sizeof(udp4) + 4);
	assert_true(frame.has_tag);
	assert_int_equal(frame.tag, 0xa123);
	assert_int_equal(frame.ether_type, 0x0800);
	assert_int_equal(frame.transport, 38);
	frame = parsed(twice, sizeof(udp4) + 8);
	assert_int_equal(frame.tag, 7);
	assert_int_equal(frame.ether_type, 0x0800);
	assert_int_equal(frame.transport, 42);
	frame = parsed(tcp6, sizeof(tcp6));
	assert_int_equal(frame.version, 6);
	assert_int_equal(frame.protocol, 6);
	assert_int_equal(frame.transport, 54);
	assert_true(soft_frame_is_multicast(&frame));
	free(once);
	free(twice);
}

/* Whatever is cut off, nothing behind the end is looked at (AddressSanitizer sees it), and nothing is made up. */
TEST(test_short_frames)
{
	static const struct {
		const uint8_t *data;
		uint32_t length, network, transport;
	} rows[] = {{udp4, sizeof(udp4), 34, 38}, {tcp6, sizeof(tcp6), 54, 58}};

	for (size_t row = 0; row < SIZE(rows); row++) {
		for (uint32_t length = 0; length <= rows[row].length; length++) {
			uint8_t *exact = malloc(length ? length : 1);
			struct soft_frame frame;

			assert_non_null(exact);
			memcpy(exact, rows[row].data, length);
			frame = parsed(exact, length);
			assert_int_equal(frame.version != 0, length >= rows[row].network);
			assert_int_equal(frame.transport != 0, length >= rows[row].transport);
			free(exact);
		}
	}
}

TEST(test_extension_headers)
{
	uint8_t frame[14 + 40 + 8 + 16 + 8] = {[12] = 0x86, 0xdd, 0x60};
	struct soft_frame found;

	frame[14 + 5] = 8 + 16 + 8;
	frame[14 + 6] = 0; /* hop by hop: 8 bytes */
	frame[54] = 60;	   /* then destination options: 16 */
	frame[62] = 17;	   /* then UDP */
	frame[63] = 1;
	found = parsed(frame, sizeof(frame));
	assert_int_equal(found.protocol, 17);
	assert_int_equal(found.transport, 78);
	/* A later fragment has no ports; a first one has. */
	frame[54] = 44;
	frame[62] = 17;
	frame[63] = 0;
	frame[65] = 1;
	found = parsed(frame, sizeof(frame));
	assert_int_equal(found.transport, 70);
	frame[65] = 8;
	found = parsed(frame, sizeof(frame));
	assert_int_equal(found.protocol, 17);
	assert_int_equal(found.transport, 0);
	/* One that says it is longer than the packet. */
	frame[54] = 60;
	frame[63] = 255;
	found = parsed(frame, sizeof(frame));
	assert_int_equal(found.transport, 0);
}

TEST(test_toeplitz)
{
	/* The key and the values by which implementations of RSS are verified. */
	static const uint8_t key[TOEPLITZ_KEY_SIZE] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
						       0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
						       0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
						       0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
	static const struct {
		const char *source, *destination;
		uint16_t source_port, destination_port;
		uint32_t addresses, all;
	} rows[] = {
		{"66.9.149.187", "161.142.100.80", 2794, 1766, 0x323e8fc2, 0x51ccc178},
		{"199.92.111.2", "65.69.140.83", 14230, 4739, 0xd718262a, 0xc626b0ea},
		{"24.19.198.95", "12.22.207.184", 12898, 38024, 0xd2d0a5de, 0x5c2b394a},
		{"38.27.205.30", "209.142.163.6", 48228, 2217, 0x82989176, 0xafc7327f},
		{"153.39.163.191", "202.188.127.2", 44251, 1303, 0x5d1809c5, 0x10e828a2},
	};
	const uint64_t ipv4 = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4;
	const uint64_t udp = IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP;
	struct soft_frame found;
	uint8_t frame[sizeof(udp4)];

	for (size_t i = 0; i < SIZE(rows); i++) {
		const uint16_t ports[2] = {htons(rows[i].source_port), htons(rows[i].destination_port)};

		memcpy(frame, udp4, sizeof(udp4));
		assert_int_equal(inet_pton(AF_INET, rows[i].source, frame + 26), 1);
		assert_int_equal(inet_pton(AF_INET, rows[i].destination, frame + 30), 1);
		memcpy(frame + 34, ports, sizeof(ports));
		found = parsed(frame, sizeof(frame));
		assert_int_equal(soft_toeplitz_frame(key, ipv4, &found), rows[i].addresses);
		assert_int_equal(soft_toeplitz_frame(key, ipv4 | udp, &found), rows[i].all);
		/* What is asked of TCP or of IPv6 this frame does not have. */
		assert_int_equal(soft_toeplitz_frame(key, ipv4 | udp << 0 | IBV_RX_HASH_SRC_IPV6, &found), rows[i].all);
		assert_int_equal(soft_toeplitz_frame(key, IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_IPV6, &found), 0);
		assert_int_not_equal(soft_toeplitz_frame(key, IBV_RX_HASH_DST_PORT_UDP, &found), 0);
	}
	/* A frame of IPv6: 3ffe:2501:200:1fff::7 to 3ffe:2501:200:3::1, ports 2794 and 1766. */
	{
		uint8_t input[36] = {0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x1f,	   0xff, [15] = 7, 0x3f, 0xfe,
				     0x25, 0x01, 0x02, 0x00, 0x00, 0x03, [31] = 1, 0x0a, 0xea,	   0x06, 0xe6};

		assert_int_equal(soft_toeplitz(key, input, 32), 0x2cc18cd5);
		assert_int_equal(soft_toeplitz(key, input, 36), 0x40207d3d);
	}
}

/* Attributes of a flow with up to four specifications behind them. */
struct flow {
	struct ibv_flow_attr attr;
	uint8_t specs[512];
	size_t used;
};

static void spec_add(struct flow *flow, const void *spec, size_t size)
{
	assert_true(flow->used + size <= sizeof(flow->specs));
	memcpy(flow->specs + flow->used, spec, size);
	flow->used += size;
	flow->attr.num_of_specs++;
	flow->attr.size = (uint16_t)(sizeof(flow->attr) + flow->used);
}

static struct flow flow_of(uint16_t priority)
{
	return (struct flow){.attr = {.size = sizeof(struct ibv_flow_attr), .port = 1, .priority = priority}};
}

/* A field of a specification, and whether the two frames have it. */
#define ETH(...)                                                                                                       \
	{                                                                                                              \
		.eth = {.type = IBV_FLOW_SPEC_ETH, .size = sizeof(struct ibv_flow_spec_eth), __VA_ARGS__ }             \
	}
#define IPV4(...)                                                                                                      \
	{                                                                                                              \
		.ipv4_ext = {                                                                                          \
			.type = IBV_FLOW_SPEC_IPV4_EXT,                                                                \
			.size = sizeof(struct ibv_flow_spec_ipv4_ext),                                                 \
			__VA_ARGS__                                                                                    \
		}                                                                                                      \
	}
#define IPV6(...)                                                                                                      \
	{                                                                                                              \
		.ipv6 = {.type = IBV_FLOW_SPEC_IPV6, .size = sizeof(struct ibv_flow_spec_ipv6), __VA_ARGS__ }          \
	}
#define PORTS(kind, ...)                                                                                               \
	{                                                                                                              \
		.tcp_udp = {.type = IBV_FLOW_SPEC_##kind, .size = sizeof(struct ibv_flow_spec_tcp_udp), __VA_ARGS__ }  \
	}
#define ALL_MAC                                                                                                        \
	{                                                                                                              \
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff                                                                     \
	}

TEST(test_each_field)
{
	static const struct {
		struct ibv_flow_spec spec;
		bool udp4, tcp6, tagged;
	} rows[] = {
		{ETH(.mask = {.ether_type = 0}), true, true, true},
		{ETH(.val = {.dst_mac = {0x02, 0, 0, 0, 0, 0xb}}, .mask = {.dst_mac = ALL_MAC}), true, false, true},
		{ETH(.val = {.dst_mac = {0x03}}, .mask = {.dst_mac = {0x01}}), false, true, false},
		{ETH(.val = {.src_mac = {0x02, 0, 0, 0, 0, 0xa}}, .mask = {.src_mac = ALL_MAC}), true, true, true},
		{ETH(.val = {.src_mac = {0x02, 0, 0, 0, 0, 0xc}}, .mask = {.src_mac = ALL_MAC}), false, false, false},
		{ETH(.val = {.ether_type = 0x0008}, .mask = {.ether_type = 0xffff}), true, false, true},
		{ETH(.val = {.vlan_tag = 0x2301}, .mask = {.vlan_tag = 0xff0f}), false, false, true},
		{ETH(.val = {.vlan_tag = 0x00a0}, .mask = {.vlan_tag = 0x00e0}), false, false, true},
		{ETH(.val = {.vlan_tag = 0}, .mask = {.vlan_tag = 0xff0f}), false, false, false},
		{IPV4(.mask = {.tos = 0}), true, false, true},
		{IPV4(.val = {.proto = 17}, .mask = {.proto = 0xff}), true, false, true},
		{IPV4(.val = {.proto = 6}, .mask = {.proto = 0xff}), false, false, false},
		{IPV4(.val = {.tos = 0x10}, .mask = {.tos = 0xff}), true, false, true},
		{IPV4(.val = {.ttl = 64}, .mask = {.ttl = 0xff}), true, false, true},
		{IPV4(.val = {.flags = 2}, .mask = {.flags = 2}), true, false, true},
		{IPV4(.val = {.flags = 4}, .mask = {.flags = 4}), false, false, false},
		{IPV6(.mask = {.hop_limit = 0}), false, true, false},
		{IPV6(.val = {.src_ip = {0x20, 1, [15] = 1}}, .mask = {.src_ip = {0xff, 0xff, [15] = 0xff}}), false,
		 true, false},
		{IPV6(.val = {.dst_ip = {[15] = 1}}, .mask = {.dst_ip = {[15] = 0xff}}), false, false, false},
		{IPV6(.val = {.next_hdr = 6}, .mask = {.next_hdr = 0xff}), false, true, false},
		{IPV6(.val = {.traffic_class = 0x12}, .mask = {.traffic_class = 0xff}), false, true, false},
		{IPV6(.val = {.hop_limit = 33}, .mask = {.hop_limit = 0xff}), false, true, false},
		{PORTS(UDP, .mask = {.dst_port = 0}), true, false, true},
		{PORTS(TCP, .mask = {.dst_port = 0}), false, true, false},
		{PORTS(UDP, .val = {.dst_port = 0x7856}, .mask = {.dst_port = 0xffff}), true, false, true},
		{PORTS(UDP, .val = {.src_port = 0x7856}, .mask = {.src_port = 0xffff}), false, false, false},
		{PORTS(TCP, .val = {.src_port = 0x3412}, .mask = {.src_port = 0xffff}), false, true, false},
	};
	uint8_t *with_tag = tagged(udp4, sizeof(udp4), 0x8100, 0xa123);
	struct soft_frame first = parsed(udp4, sizeof(udp4)), second = parsed(tcp6, sizeof(tcp6));
	struct soft_frame third = parsed(with_tag, sizeof(udp4) + 4);

	for (size_t i = 0; i < SIZE(rows); i++) {
		struct flow flow = flow_of(0);
		struct soft_rule rule;

		spec_add(&flow, &rows[i].spec, rows[i].spec.hdr.size);
		assert_int_equal(soft_rule_read(&rule, &flow.attr), 0);
		if (soft_rule_matches(&rule, &first) != rows[i].udp4 ||
		    soft_rule_matches(&rule, &second) != rows[i].tcp6 ||
		    soft_rule_matches(&rule, &third) != rows[i].tagged)
			fail_msg("row %zu", i);
	}
	free(with_tag);
}

TEST(test_addresses_and_label)
{
	struct ibv_flow_spec_ipv4 plain = {.type = IBV_FLOW_SPEC_IPV4, .size = sizeof(plain)};
	struct ibv_flow_spec_ipv6 label = {.type = IBV_FLOW_SPEC_IPV6, .size = sizeof(label)};
	struct soft_frame first = parsed(udp4, sizeof(udp4)), second = parsed(tcp6, sizeof(tcp6));
	struct flow flow = flow_of(0);
	struct soft_rule rule;

	plain.val.src_ip = htonl(0xc0000201);
	plain.mask.src_ip = UINT32_MAX;
	plain.val.dst_ip = htonl(0xc6336400);
	plain.mask.dst_ip = htonl(0xffffff00);
	spec_add(&flow, &plain, sizeof(plain));
	assert_int_equal(soft_rule_read(&rule, &flow.attr), 0);
	assert_true(soft_rule_matches(&rule, &first));
	rule.ipv4.val.dst_ip = htonl(0xc6336500);
	assert_false(soft_rule_matches(&rule, &first));
	flow = flow_of(0);
	label.val.flow_label = htonl(0x34567);
	label.mask.flow_label = htonl(0xfffff);
	spec_add(&flow, &label, sizeof(label));
	assert_int_equal(soft_rule_read(&rule, &flow.attr), 0);
	assert_true(soft_rule_matches(&rule, &second));
	rule.ipv6.val.flow_label = htonl(0x34568);
	assert_false(soft_rule_matches(&rule, &second));
}

TEST(test_rules_that_are_refused)
{
	static const struct {
		struct ibv_flow_spec specs[2];
		int error;
	} rows[] = {
		{{ETH(.mask = {.ether_type = 0}), ETH(.mask = {.ether_type = 0})}, -EINVAL},
		{{IPV4(.mask = {.tos = 0}), IPV6(.mask = {.hop_limit = 0})}, -EINVAL},
		{{PORTS(TCP, .mask = {.dst_port = 0}), PORTS(UDP, .mask = {.dst_port = 0})}, -EINVAL},
		{{{.hdr = {IBV_FLOW_SPEC_ETH, sizeof(struct ibv_flow_spec_eth) - 2}}}, -EINVAL},
		{{{.hdr = {IBV_FLOW_SPEC_ETH, 4}}}, -EINVAL},
		{{{.hdr = {IBV_FLOW_SPEC_VXLAN_TUNNEL, sizeof(struct ibv_flow_spec_tunnel)}}}, -EOPNOTSUPP},
		{{{.hdr = {IBV_FLOW_SPEC_ETH | IBV_FLOW_SPEC_INNER, sizeof(struct ibv_flow_spec_eth)}}}, -EOPNOTSUPP},
		{{{.hdr = {IBV_FLOW_SPEC_ACTION_COUNT, sizeof(struct ibv_flow_spec_counter_action)}}}, -EOPNOTSUPP},
	};
	static const struct {
		enum ibv_flow_attr_type type;
		uint32_t flags;
		uint8_t port, specs;
		int error;
	} attrs[] = {
		{IBV_FLOW_ATTR_NORMAL, IBV_FLOW_ATTR_FLAGS_DONT_TRAP, 1, 0, 0},
		{IBV_FLOW_ATTR_SNIFFER, IBV_FLOW_ATTR_FLAGS_DONT_TRAP, 1, 0, -EINVAL},
		{IBV_FLOW_ATTR_ALL_DEFAULT, 0, 1, 1, -EINVAL},
		{IBV_FLOW_ATTR_NORMAL, IBV_FLOW_ATTR_FLAGS_EGRESS, 1, 0, -EOPNOTSUPP},
		{IBV_FLOW_ATTR_NORMAL, 1u << 5, 1, 0, -EINVAL},
		{IBV_FLOW_ATTR_NORMAL, 0, 2, 0, -EINVAL},
		{IBV_FLOW_ATTR_SNIFFER + 1, 0, 1, 0, -EINVAL},
	};
	struct soft_rule rule;

	for (size_t i = 0; i < SIZE(rows); i++) {
		struct flow flow = flow_of(0);

		for (int j = 0; j < 2 && rows[i].specs[j].hdr.type; j++)
			spec_add(&flow, &rows[i].specs[j], rows[i].specs[j].hdr.size);
		assert_int_equal(soft_rule_read(&rule, &flow.attr), rows[i].error);
	}
	for (size_t i = 0; i < SIZE(attrs); i++) {
		struct flow flow = flow_of(0);

		flow.attr.type = attrs[i].type;
		flow.attr.flags = attrs[i].flags;
		flow.attr.port = attrs[i].port;
		flow.attr.num_of_specs = attrs[i].specs;
		assert_int_equal(soft_rule_read(&rule, &flow.attr), attrs[i].error);
	}
}

/* Who is delivered a frame: a letter for each rule, in the order of delivery. */
struct delivered {
	const struct soft_rule *rules;
	char letters[16];
};

static void deliver(struct soft_rule *rule, void *argument)
{
	struct delivered *delivered = argument;

	delivered->letters[strlen(delivered->letters)] = (char)('a' + (rule - delivered->rules));
}

TEST(test_steering)
{
	enum { NONE, ANY, UDP, TCP };
	static const struct {
		struct {
			enum ibv_flow_attr_type type;
			uint16_t priority;
			int spec;
			bool does_not_trap, drops;
		} rules[4];
		const char *udp4, *tcp6; /* tcp6 is multicast */
	} rows[] = {
		{{{IBV_FLOW_ATTR_NORMAL, 0, UDP, false, false}}, "a", ""},
		{{{IBV_FLOW_ATTR_NORMAL, 5, ANY, false, false}, {IBV_FLOW_ATTR_NORMAL, 1, UDP, false, false}},
		 "b",
		 "a"},
		/* twins share, others of the same priority do not */
		{{{IBV_FLOW_ATTR_NORMAL, 1, UDP, false, false},
		  {IBV_FLOW_ATTR_NORMAL, 1, ANY, false, false},
		  {IBV_FLOW_ATTR_NORMAL, 1, UDP, false, false}},
		 "ac",
		 "b"},
		/* the same words at another priority are not the same rule */
		{{{IBV_FLOW_ATTR_NORMAL, 1, UDP, false, false}, {IBV_FLOW_ATTR_NORMAL, 2, UDP, false, false}}, "a", ""},
		{{{IBV_FLOW_ATTR_NORMAL, 0, UDP, true, false}, {IBV_FLOW_ATTR_NORMAL, 3, ANY, false, false}},
		 "ab",
		 "b"},
		{{{IBV_FLOW_ATTR_NORMAL, 0, UDP, true, false}, {IBV_FLOW_ATTR_ALL_DEFAULT, 0, NONE, false, false}},
		 "ab",
		 "b"},
		{{{IBV_FLOW_ATTR_NORMAL, 0, UDP, false, true},
		  {IBV_FLOW_ATTR_NORMAL, 3, ANY, false, false},
		  {IBV_FLOW_ATTR_ALL_DEFAULT, 0, NONE, false, false}},
		 "",
		 "b"},
		{{{IBV_FLOW_ATTR_SNIFFER, 0, NONE, false, false}, {IBV_FLOW_ATTR_NORMAL, 0, UDP, false, true}},
		 "a",
		 "a"},
		{{{IBV_FLOW_ATTR_SNIFFER, 9, NONE, false, false}, {IBV_FLOW_ATTR_NORMAL, 0, TCP, false, false}},
		 "a",
		 "ab"},
		{{{IBV_FLOW_ATTR_MC_DEFAULT, 0, NONE, false, false},
		  {IBV_FLOW_ATTR_ALL_DEFAULT, 0, NONE, false, false}},
		 "b",
		 "a"},
		{{{IBV_FLOW_ATTR_MC_DEFAULT, 0, NONE, false, false}, {IBV_FLOW_ATTR_NORMAL, 0, TCP, false, false}},
		 "",
		 "b"},
		{{{IBV_FLOW_ATTR_ALL_DEFAULT, 0, NONE, false, false},
		  {IBV_FLOW_ATTR_ALL_DEFAULT, 7, NONE, false, false}},
		 "ab",
		 "ab"},
	};
	const struct soft_frame first = parsed(udp4, sizeof(udp4)), second = parsed(tcp6, sizeof(tcp6));

	for (size_t i = 0; i < SIZE(rows); i++) {
		struct soft_rule_table table = {0};
		struct soft_rule rules[4] = {0};
		struct delivered one = {.rules = rules}, two = {.rules = rules};

		for (int j = 0; j < 4 && (j == 0 || rows[i].rules[j].type || rows[i].rules[j].spec); j++) {
			rules[j].type = rows[i].rules[j].type;
			rules[j].priority = rows[i].rules[j].priority;
			rules[j].does_not_trap = rows[i].rules[j].does_not_trap;
			rules[j].drops = rows[i].rules[j].drops;
			if (rows[i].rules[j].spec >= UDP)
				rules[j].transport.type =
					rows[i].rules[j].spec == UDP ? IBV_FLOW_SPEC_UDP : IBV_FLOW_SPEC_TCP;
			soft_rule_insert(&table, &rules[j]);
		}
		soft_rule_steer(&table, &first, deliver, &one);
		soft_rule_steer(&table, &second, deliver, &two);
		if (strcmp(one.letters, rows[i].udp4) != 0 || strcmp(two.letters, rows[i].tcp6) != 0)
			fail_msg("row %zu: \"%s\" and \"%s\"", i, one.letters, two.letters);
		soft_rule_remove(&table, &rules[0]);
		for (struct soft_rule *rule = table.first; rule; rule = rule->next)
			assert_ptr_not_equal(rule, &rules[0]);
	}
}

static void expect_order(const struct soft_rule_table *table, unsigned count)
{
	const struct soft_rule *previous = NULL, *rule;

	for (rule = table->first; rule; previous = rule, rule = rule->next) {
		assert_ptr_equal(rule->previous, previous);
		if (previous)
			assert_true(previous->priority <= rule->priority);
		/* The older one lies before the younger one. */
		if (previous && previous->priority == rule->priority)
			assert_true(previous < rule);
		count--;
	}
	assert_int_equal(count, 0);
}

/* In any order of priorities, next to each other and far apart. */
TEST(test_order)
{
	enum { MANY = 4096 };
	static struct soft_rule rules[MANY];
	static struct soft_rule_table table;
	unsigned left = MANY;

	for (unsigned i = 0; i < MANY; i++) {
		rules[i].priority = (uint16_t)(i * 40503u >> (i % 3 * 5));
		soft_rule_insert(&table, &rules[i]);
	}
	expect_order(&table, left);
	for (unsigned step = 2; step; step--)
		for (unsigned i = step - 1; i < MANY; i += 2, left--)
			soft_rule_remove(&table, &rules[i]);
	expect_order(&table, left);
	assert_null(table.first);
	assert_null(table.last);
}

TEST_MAIN(NULL, NULL)
