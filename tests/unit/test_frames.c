// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Do frames conform to the standards? Byte by byte for some, and for every combination of headers with tshark, if it is
 * installed: it must decode each without a complaint, checksums verified, and find the requested fields.
 */
#include "config.h"

#include <unistd.h>

#include "cmocka_all.h"
#include "frames/frame.h"

#define SIZE(array)   (sizeof(array) / sizeof((array)[0]))
#define LENGTH_MAX    1514u
#define PCAP_MAGIC    0xa1b2c3d4u
#define PCAP_ETHERNET 1u
#define SOURCE_PORT   1234
#define DEST_PORT     5678 /* of no protocol that tshark would look for in the payload */
#define DECODE	      "/usr/bin/tshark"

static const struct frame_spec plain = {
	.destination = {0x02, 0, 0, 0, 0, 0x0b},
	.source = {0x02, 0, 0, 0, 0, 0x0a},
	.ethertype = 0x88b5,
};

static const struct frame_spec udp4 = {
	.destination = {0x02, 0, 0, 0, 0, 0x0b},
	.source = {0x02, 0, 0, 0, 0, 0x0a},
	.network = FRAME_NETWORK_IPV4,
	.from = {{192, 0, 2, 1}},
	.to = {{198, 51, 100, 2}},
	.traffic_class = 0x10,
	.hops = 64,
	.transport = FRAME_TRANSPORT_UDP,
	.source_port = SOURCE_PORT,
	.destination_port = DEST_PORT,
};

static struct frame_spec as_ipv6(struct frame_spec spec)
{
	spec.network = FRAME_NETWORK_IPV6;
	spec.from = (struct frame_address){{0x20, 0x01, 0x0d, 0xb8, [15] = 1}};
	spec.to = (struct frame_address){{0x20, 0x01, 0x0d, 0xb8, [15] = 2}};
	spec.flow_label = 0xabcde;
	return spec;
}

static void payload_fill(uint8_t *frame, uint32_t length, uint32_t from)
{
	for (uint32_t i = from; i < length; i++)
		frame[i] = (uint8_t)(i * 31 + 7);
}

TEST(test_bytes_of_udp4)
{
	/* The sums were worked out elsewhere. */
	static const uint8_t expected[] = {
		0x02, 0,    0,	  0,	0,    0x0b, 0x02, 0,	0,    0,    0,	  0x0a, 0x81, 0x00,
		0xa0, 0x64, 0x08, 0x00, 0x45, 0x10, 0x00, 0x25, 0x00, 0x00, 0x40, 0x00, 64,   17,
		0x4e, 0x81, 192,  0,	2,    1,    198,  51,	100,  2,    0x04, 0xd2, 0x16, 0x2e,
		0x00, 0x11, 0x0c, 0xef, 'p',  'e',  'r',  'f',	't',  'e',  's',  't',	'!',
	};
	struct frame_spec spec = udp4;
	uint8_t frame[sizeof(expected)];

	spec.has_vlan = true;
	spec.vlan_priority = 5;
	spec.vlan_id = 100;
	assert_int_equal(frame_header_bytes(&spec), 46);
	memcpy(frame + 46, "perftest!", 9);
	assert_int_equal(frame_build(&spec, frame, sizeof(frame)), 0);
	assert_memory_equal(frame, expected, sizeof(expected));
}

/* UDP says that there is no checksum by zeroes, so a sum of zeroes is written as its complement. */
TEST(test_checksum_of_zero)
{
	uint8_t frame[44];
	bool is_met = false;

	for (uint32_t word = 0; word <= UINT16_MAX && !is_met; word++) {
		frame[42] = (uint8_t)(word >> 8);
		frame[43] = (uint8_t)word;
		assert_int_equal(frame_build(&udp4, frame, sizeof(frame)), 0);
		assert_false(frame[40] == 0 && frame[41] == 0);
		is_met = frame[40] == 0xff && frame[41] == 0xff;
	}
	assert_true(is_met);
}

TEST(test_length_is_the_type)
{
	struct frame_spec spec = plain;
	uint8_t frame[LENGTH_MAX + 1];

	spec.ethertype = 0;
	memset(frame, 0, sizeof(frame));
	assert_int_equal(frame_build(&spec, frame, 60), 0);
	assert_int_equal(frame[12] << 8 | frame[13], 46);
	assert_int_equal(frame_build(&spec, frame, LENGTH_MAX), 0);
	assert_int_equal(frame[12] << 8 | frame[13], 1500);
	assert_int_equal(frame_build(&spec, frame, LENGTH_MAX + 1), -EMSGSIZE);
	assert_int_equal(frame_most_bytes(&spec), LENGTH_MAX);
	assert_int_equal(frame_most_bytes(&udp4), FRAME_MAX_BYTES);
}

TEST(test_refusals)
{
	struct frame_spec bad[4] = {udp4, udp4, udp4, udp4};
	uint8_t frame[64] = {0};

	bad[0].vlan_priority = 8;
	bad[1].vlan_id = 0x1000;
	bad[2].flow_label = 0x100000;
	bad[3].network = FRAME_NETWORK_NONE;
	for (size_t i = 0; i < SIZE(bad); i++)
		assert_int_equal(frame_build(&bad[i], frame, sizeof(frame)), -EINVAL);
	assert_int_equal(frame_build(&udp4, frame, frame_header_bytes(&udp4) - 1), -EMSGSIZE);
	assert_int_equal(frame_build(&udp4, frame, frame_header_bytes(&udp4)), 0);
	assert_int_equal(frame_build(&udp4, frame, FRAME_MAX_BYTES + 1), -EMSGSIZE);
}

TEST(test_multicast_mac)
{
	const struct frame_address group = {{239, 129, 2, 3}};
	static const uint8_t expected[FRAME_MAC_BYTES] = {0x01, 0x00, 0x5e, 0x01, 0x02, 0x03};
	uint8_t mac[FRAME_MAC_BYTES];

	frame_multicast_mac(&group, mac);
	assert_memory_equal(mac, expected, sizeof(mac));
}

/* --- in the eyes of tshark --- */

static void pcap_begin(FILE *file)
{
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, accuracy, length_max, link;
	} header = {PCAP_MAGIC, 2, 4, 0, 0, FRAME_MAX_BYTES, PCAP_ETHERNET};

	assert_int_equal(fwrite(&header, sizeof(header), 1, file), 1);
}

static void pcap_add(FILE *file, const uint8_t *frame, uint32_t length)
{
	const uint32_t header[4] = {0, 0, length, length};

	assert_int_equal(fwrite(header, sizeof(header), 1, file), 1);
	assert_int_equal(fwrite(frame, length, 1, file), 1);
}

/* Every combination of tag, network and transport, at several sizes. */
static uint32_t combination(uint32_t number, struct frame_spec *spec, uint32_t *length)
{
	static const uint32_t payloads[] = {0, 1, 2, 46, 777};
	uint32_t count = 2 * SIZE(payloads) * 7;
	uint32_t headers = number % 7;

	*spec = headers ? udp4 : plain;
	if (headers > 3)
		*spec = as_ipv6(*spec);
	if (headers)
		spec->transport = (enum frame_transport)((headers - 1) % 3);
	spec->has_vlan = number / 7 % 2;
	spec->vlan_priority = 3;
	spec->vlan_id = 42;
	*length = frame_header_bytes(spec) + payloads[number / 14 % SIZE(payloads)];
	return count;
}

static void tshark_expect(const uint32_t number, const char *line)
{
	struct frame_spec spec;
	char expected[256], ports[32] = "|", network[128] = "||||";
	uint32_t length;

	combination(number, &spec, &length);
	if (spec.transport)
		snprintf(ports, sizeof(ports), "%d|%d", SOURCE_PORT, DEST_PORT);
	if (spec.network == FRAME_NETWORK_IPV4)
		snprintf(network, sizeof(network), "192.0.2.1|198.51.100.2|||%u", length - (spec.has_vlan ? 18 : 14));
	else if (spec.network == FRAME_NETWORK_IPV6)
		snprintf(network, sizeof(network), "||2001:db8::1|2001:db8::2|%u", length - (spec.has_vlan ? 58 : 54));
	snprintf(expected, sizeof(expected), "%u|%s|%s|%s\n", length, spec.has_vlan ? "42" : "", network, ports);
	if (strcmp(line, expected) != 0)
		fail_msg("frame %u: tshark saw %sinstead of %s", number + 1, line, expected);
}

static void lines_of(const char *command, void (*take)(uint32_t number, const char *line), uint32_t expected)
{
	FILE *output = popen(command, "r");
	char line[512];
	uint32_t number = 0;

	assert_non_null(output);
	while (fgets(line, sizeof(line), output))
		take(number++, line);
	assert_int_equal(pclose(output), 0);
	assert_int_equal(number, expected);
}

static void complaint_take(uint32_t number, const char *line)
{
	fail_msg("tshark complains: %s", line);
}

TEST(test_in_the_eyes_of_tshark)
{
	/* Whatever it finds wrong: bad checksums, malformed packets, lengths that do not fit. */
	static const char *const checks =
		"-o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -o tcp.check_checksum:TRUE "
		"-o tcp.analyze_sequence_numbers:FALSE";
	uint8_t frame[LENGTH_MAX];
	char path[] = "/tmp/framesXXXXXX", command[1024];
	struct frame_spec spec;
	uint32_t length, count;
	int fd;
	FILE *file;

	if (access(DECODE, X_OK))
		skip(); /* the tests above stand for themselves */
	fd = mkstemp(path);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	assert_non_null(file);
	pcap_begin(file);
	count = combination(0, &spec, &length);
	for (uint32_t i = 0; i < count; i++) {
		combination(i, &spec, &length);
		payload_fill(frame, length, frame_header_bytes(&spec));
		assert_int_equal(frame_build(&spec, frame, length), 0);
		pcap_add(file, frame, length);
	}
	assert_int_equal(fclose(file), 0);
	snprintf(command, sizeof(command),
		 DECODE
		 " -n -r %s %s -Y '_ws.malformed || _ws.expert.severity >= 6291456 || ip.checksum.status == 0 || "
		 "udp.checksum.status == 0 || tcp.checksum.status == 0' 2>/dev/null",
		 path, checks);
	lines_of(command, complaint_take, 0);
	snprintf(command, sizeof(command),
		 DECODE
		 " -n -r %s %s -T fields -E separator='|' -e frame.len -e vlan.id -e ip.src -e ip.dst -e ipv6.src "
		 "-e ipv6.dst -e ip.len -e ipv6.plen -e udp.srcport -e tcp.srcport -e udp.dstport -e tcp.dstport "
		 "2>/dev/null | sed -E 's/^(([^|]*\\|){6})([^|]*)\\|([^|]*)\\|([^|]*)\\|([^|]*)\\|([^|]*)\\|([^|]*)$/"
		 "\\1\\3\\4|\\5\\6|\\7\\8/'",
		 path, checks);
	lines_of(command, tshark_expect, count);
	unlink(path);
}

TEST_MAIN(NULL, NULL)
