// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How much payload can a path carry? The figures are derived apart from the code: the frames are those that Wireshark
 * shows of an adapter's messages (a WRITE at MTU 1024 over IPv4 has a first frame of 1098 bytes and others of 1082,
 * without the check sequence; one with a VLAN has 4 more), to which Ethernet adds 24 byte times: preamble 8, check
 * sequence 4, gap 12. Of InfiniBand, a packet in the middle of a message has 26 bytes beside its payload (LRH 8, BTH
 * 12, CRCs 4 and 2).
 */
#include <math.h>

#include "cmocka_all.h"
#include "traffic/payload_limit.h"

#define MIB 1048576

static struct payload_path path_of(enum wire wire, double gbits, uint32_t mtu)
{
	return (struct payload_path){
		.verb = VERB_WRITE,
		.transport = TRANSPORT_RC,
		.link_gbits = gbits,
		.num_links = 1,
		.wire = wire,
		.mtu = mtu,
	};
}

static double gbits(const struct payload_path *path, uint64_t size)
{
	const struct payload_limit limit = payload_limit_of(path, size);

	return payload_limit_least(&limit) / 125e6;
}

static void expect_gbits(const struct payload_path *path, uint64_t size, double expected)
{
	const double value = gbits(path, size);

	if (!(fabs(value - expected) <= 0.00006 * expected))
		fail_msg("%llu bytes: %.6f Gb/s, not %.6f", (unsigned long long)size, value, expected);
}

TEST(test_wires)
{
	static const struct {
		enum wire wire;
		double rate;
		uint32_t mtu;
		bool vlan;
		uint64_t size;
		double bytes; /* on the wire, of one message */
	} rows[] = {
		/* 1024 packets; the first has 16 bytes more */
		{WIRE_ROCE_V2_IPV4, 100, 1024, false, MIB, 1024 * (1082 + 24) + 16},
		{WIRE_ROCE_V2_IPV4, 100, 1024, true, MIB, 1024 * (1086 + 24) + 16},
		{WIRE_ROCE_V2_IPV4, 400, 4096, false, MIB, 256 * (4154 + 24) + 16},
		{WIRE_ROCE_V2_IPV4, 100, 1024, false, 2048, 1098 + 1082 + 2 * 24},
		{WIRE_ROCE_V2_IPV4, 100, 1024, false, 64, 14 + 20 + 8 + 12 + 16 + 64 + 4 + 24},
		{WIRE_ROCE_V2_IPV4, 100, 1024, false, 1, 14 + 20 + 8 + 12 + 16 + 4 + 4 + 24}, /* 3 bytes of padding */
		/* an IPv6 header has 20 bytes more; RoCE v1 has one of 40 and no UDP */
		{WIRE_ROCE_V2_IPV6, 100, 1024, false, MIB, 1024 * (1102 + 24) + 16},
		{WIRE_ROCE_V1, 100, 1024, false, MIB, 1024 * (1094 + 24) + 16},
		{WIRE_INFINIBAND, 100, 4096, false, MIB, 256 * (4096 + 26) + 16},
		{WIRE_INFINIBAND_GLOBAL, 100, 4096, false, MIB, 256 * (4096 + 66) + 16},
		/* a frame of 1518 bytes with its check sequence */
		{WIRE_ETHERNET, 100, 1500, false, 1518, 1538},
		{WIRE_NOT_COUNTED, 200, 2048, false, 65536, 65536},
		{WIRE_NOT_COUNTED, 200, 2048, false, 1, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct payload_path path = path_of(rows[i].wire, rows[i].rate, rows[i].mtu);

		path.vlan = rows[i].vlan;
		expect_gbits(&path, rows[i].size, rows[i].rate * (double)rows[i].size / rows[i].bytes);
	}
}

/* What users know: 94.1 % of a link over IPv4 with timestamps, and 98.7 % with jumbo frames as UDP, less its headers.
 */
TEST(test_sockets)
{
	static const struct {
		enum wire wire;
		uint32_t mtu, options;
		bool vlan;
		uint64_t size;
		double share;
	} rows[] = {
		{WIRE_TCP_IPV4, 1500, 12, false, 65536, 1448. / 1538},
		{WIRE_TCP_IPV4, 1500, 12, false, 1, 1448. / 1538}, /* it is a stream */
		{WIRE_TCP_IPV4, 1500, 0, true, 65536, 1460. / 1542},
		{WIRE_TCP_IPV6, 9000, 12, false, 65536, 8928. / 9038},
		{WIRE_TCP_IPV4, 40, 12, false, 65536, 0},
		{WIRE_UDP_IPV4, 1500, 0, false, 1472, 1472. / 1538},
		{WIRE_UDP_IPV6, 1500, 0, false, 1452, 1452. / 1538},
		{WIRE_UDP_IPV4, 1500, 0, false, 18, 18. / 84}, /* the shortest frame, of 64 bytes */
		{WIRE_UDP_IPV4, 1500, 0, false, 1, 1. / 84},
		{WIRE_UDP_IPV4, 1500, 0, true, 19, 19. / 89},
		/* 1480 bytes, and 1 in the shortest frame */
		{WIRE_UDP_IPV4, 1500, 0, false, 1473, 1473. / (1538 + 84)},
		/* 1448 in a fragment of IPv6, and 5 */
		{WIRE_UDP_IPV6, 1500, 0, false, 1445, 1445. / (1445 + 8 + 40 + 38)},
		{WIRE_UDP_IPV6, 1500, 0, false, 1453, 1453. / (1448 + 48 + 38 + 13 + 48 + 38)},
		{WIRE_UDP_IPV4, 9000, 0, false, 32768, 32768. / (32776 + 4 * (20 + 38))},
		/* 8976 bytes, and 8980: only the last one need not be a multiple of 8 */
		{WIRE_UDP_IPV4, 9000, 0, false, 17948, 17948. / (17956 + 2 * (20 + 38))},
		{WIRE_UDP_IPV4, 27, 0, false, 32768, 0},
	};
	struct payload_path path;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		path = path_of(rows[i].wire, 100, rows[i].mtu);
		path.option_bytes = rows[i].options;
		path.vlan = rows[i].vlan;
		expect_gbits(&path, rows[i].size, 100 * rows[i].share);
	}
	path.stays = true;
	expect_gbits(&path, 1, 0);
	assert_string_equal(payload_limit_lacks(&path), "both sides are on this host, and use no link");
}

/* What users know: 92.6 and 98.0 Gb/s over 100GbE, 99.4 over EDR, 392.1 over 400GbE. */
TEST(test_known_figures)
{
	struct payload_path path = path_of(WIRE_ROCE_V2_IPV4, 100, 1024);

	expect_gbits(&path, MIB, 92.5845);
	path.mtu = 4096;
	expect_gbits(&path, MIB, 98.0358);
	path.link_gbits = 400;
	expect_gbits(&path, MIB, 392.1434);
	path = path_of(WIRE_INFINIBAND, 100, 4096);
	expect_gbits(&path, MIB, 99.3677);
}

/* With -b the requests of a READ share the direction of the responses to the peer's. */
TEST(test_verbs)
{
	struct payload_path path = path_of(WIRE_ROCE_V2_IPV4, 100, 1024);

	path.verb = VERB_SEND;
	expect_gbits(&path, 2048, 100 * 2048.0 / (2 * (1082 + 24)));
	path.with_imm = true;
	expect_gbits(&path, 2048, 100 * 2048.0 / (2 * (1082 + 24) + 4));
	path.with_imm = false;
	path.transport = TRANSPORT_UD;
	expect_gbits(&path, 1024, 100 * 1024.0 / (1082 + 8 + 24));
	path.transport = TRANSPORT_XRC;
	expect_gbits(&path, 2048, 100 * 2048.0 / (2 * (1082 + 4 + 24)));
	path.transport = TRANSPORT_RC;
	path.verb = VERB_READ;
	expect_gbits(&path, 1024, 100 * 1024.0 / (1082 + 4 + 24));
	expect_gbits(&path, 3072, 100 * 3072.0 / (3 * (1082 + 24) + 2 * 4));
	path.bidirectional = true;
	expect_gbits(&path, 3072, 100 * 3072.0 / (3 * (1082 + 24) + 2 * 4 + 74 + 24));
	path.bidirectional = false;
	/* of 2 bytes the request is the larger one */
	expect_gbits(&path, 2, 100 * 2.0 / (14 + 20 + 8 + 12 + 16 + 4 + 24));
	path.verb = VERB_ATOMIC;
	expect_gbits(&path, 8, 100 * 8.0 / (14 + 20 + 8 + 12 + 28 + 4 + 24));
	path.bidirectional = true;
	expect_gbits(&path, 8, 100 * 8.0 / (14 + 20 + 8 + 12 + 28 + 4 + 24 + 14 + 20 + 8 + 12 + 4 + 8 + 4 + 24));
}

/* Neugebauer et al.: a write of 256 bytes is a packet of 280, a completion with as many one of 276. */
TEST(test_pcie)
{
	struct payload_path path = path_of(WIRE_ROCE_V2_IPV4, 100, 4096);
	struct payload_limit limit;

	path.pcie_rate = 8;
	path.pcie_lanes = 8;
	path.pcie_gbits = 63.0154;
	expect_gbits(&path, MIB, 63.0154);
	path.pcie_bytes = 256;
	expect_gbits(&path, MIB, 63.0154 * 256 / 276);
	path.pcie_writes = true;
	expect_gbits(&path, MIB, 57.6141);
	limit = payload_limit_of(&path, 64);
	assert_true(!payload_limit_is_pcie(&limit) && fabs(limit.pcie / 125e6 - 63.0154 * 64 / (64 + 24)) < 0.001);
	limit = payload_limit_of(&path, MIB);
	assert_true(payload_limit_is_pcie(&limit) && fabs(limit.link / 125e6 - 98.0358) < 0.001);
	path.pcie_gbits *= 2;
	expect_gbits(&path, MIB, 98.0358);
	/* flits (PCIe 6.0) have no framing of each packet */
	path.pcie_rate = 64;
	path.pcie_gbits = 50;
	expect_gbits(&path, MIB, 50.0 * 256 / 272);
}

TEST(test_unknown)
{
	struct payload_path path = path_of(WIRE_ROCE_V2_IPV4, 0, 4096);

	path.pcie_rate = 8;
	path.pcie_lanes = 8;
	path.pcie_gbits = 63;
	assert_false(gbits(&path, MIB) > 0);
	assert_string_equal(payload_limit_lacks(&path), "the rate of the link is not known");
	path = path_of(WIRE_UNKNOWN, 100, 4096);
	assert_false(gbits(&path, MIB) > 0);
	assert_string_equal(payload_limit_lacks(&path), "the format of the packets is not known");
	path.copies = true;
	assert_string_equal(payload_limit_lacks(&path), "messages are copied, over no link");
	path = path_of(WIRE_ROCE_V2_IPV4, 100, 4096);
	assert_null(payload_limit_lacks(&path));
	assert_false(gbits(&path, 0) > 0);
}

TEST_MAIN(NULL, NULL)
