// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does a string have the form that its option requires? Other layers check whether the thing exists. */
#include "params/engine/checks.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cpulist.h"
#include "util/output.h"
#include "util/units.h"

#define MAX_LABEL 0xfffff /* 20 bits */

bool ip_address_is_v6(const char *text)
{
	return strchr(text, ':') != NULL;
}

bool ip_address_is_group(const char *text)
{
	struct in_addr address;

	return inet_pton(AF_INET, text, &address) == 1 && IN_MULTICAST(ntohl(address.s_addr));
}

const char *check_ip_address(const char *text)
{
	unsigned char address[sizeof(struct in6_addr)];
	char plain[INET6_ADDRSTRLEN];
	const size_t length = strcspn(text, "%"); /* fe80::1%eth0: the resolver checks the scope */

	if (length >= sizeof(plain))
		return "is not an IP address";
	snprintf(plain, sizeof(plain), "%.*s", (int)length, text);
	if (ip_address_is_v6(text) ? inet_pton(AF_INET6, plain, address)
				   : !text[length] && inet_pton(AF_INET, plain, address))
		return NULL;
	return "is not an IP address";
}

const char *check_core_list(const char *text)
{
	struct cpulist cores;

	return cpulist_parse(&cores, text) ? "is not a list of CPUs such as 0,2-3" : NULL;
}

/* Skips 1 to `most` hexadecimal digits, then `end`, or nothing if that is allowed; NULL: they are missing. */
static const char *pci_skip(const char *text, unsigned most, char end)
{
	unsigned digits = 0;

	while (digits < most && isxdigit((unsigned char)text[digits]))
		digits++;
	return digits && text[digits] == end ? text + digits + (end != '\0') : NULL;
}

/* Domain and function may be omitted, as nvidia-smi and lspci print addresses. */
const char *check_pci_address(const char *text)
{
	const char *rest = pci_skip(text, 8, ':');
	const char *behind_domain = rest ? pci_skip(rest, 2, ':') : NULL;

	rest = behind_domain ? behind_domain : rest;
	if (rest && (pci_skip(rest, 2, '\0') || ((rest = pci_skip(rest, 2, '.')) && pci_skip(rest, 1, '\0'))))
		return NULL;
	return "is not a PCI address such as 0000:3b:00.0";
}

/* The names are opened only below the port's folder in sysfs. */
const char *check_counter_list(const char *text)
{
	for (;;) {
		const size_t length = strcspn(text, ",");

		if (!length || *text == '/')
			return "is not a list of counters such as counters/port_xmit_data";
		for (size_t i = 0; i < length; i++) {
			if (!isalnum((unsigned char)text[i]) && !strchr("_-./:*?[]!", text[i]))
				return "is not a list of counters such as counters/port_xmit_data";
			if (text[i] == '.' && text[i + 1] == '.')
				return "points outside of the port's folder";
		}
		if (!text[length])
			return NULL;
		text += length + 1;
	}
}

#define DEVICE_NAME_SIZE 64 /* IB_DEVICE_NAME_MAX */

const char *check_device_name(const char *text)
{
	const size_t first = strcspn(text, ",");
	const char *second = text[first] ? text + first + 1 : "";

	if (strchr(text, '/'))
		return "is not a device name such as mlx5_0";
	if (text[first] && (!first || !second[0] || strchr(second, ',')))
		return "is neither one device nor two separated by a comma";
	return first >= DEVICE_NAME_SIZE || strlen(second) >= DEVICE_NAME_SIZE ? "is too long for a device name" : NULL;
}

const char *check_json_file(const char *text)
{
	return strcmp(text, "-") ? NULL : "is not a file: --output_format=json writes to standard output";
}

const char *check_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return "has a control character";
	return NULL;
}

/* The key as OpenMetrics wants it. */
const char *check_label(const char *text)
{
	const size_t key = strcspn(text, "=");

	for (size_t i = 0; i < key; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return "has no KEY of letters, digits and _";
	if (!key || !text[key])
		return "is not KEY=VALUE";
	if (isdigit((unsigned char)text[0]))
		return "has a KEY that begins with a digit";
	if (!text[key + 1])
		return "has an empty VALUE";
	return strlen(text) > OUTPUT_LABEL_MAX ? "is too long for a label" : check_printable(text);
}

const char *check_mac_address(const char *text)
{
	for (unsigned i = 0; i < 17; i++) {
		const bool is_right = i % 3 == 2 ? text[i] == ':' : isxdigit((unsigned char)text[i]);

		if (!is_right)
			return "is not a MAC address such as 02:00:00:00:00:0a";
	}
	return text[17] ? "is not a MAC address such as 02:00:00:00:00:0a" : NULL;
}

void mac_address_read(const char *text, uint8_t mac[6])
{
	for (unsigned i = 0; i < 6; i++)
		mac[i] = (uint8_t)strtoul(text + 3 * i, NULL, 16);
}

const char *check_flow_labels(const char *text)
{
	for (;;) {
		char *end;
		const unsigned long label = isdigit((unsigned char)*text) ? strtoul(text, &end, 0) : MAX_LABEL + 1;

		if (label > MAX_LABEL || (*end && *end != ','))
			return "is not a list of flow labels such as 1,2,3, each from 0 to 1048575";
		if (!*end)
			return NULL;
		text = end + 1;
	}
}

unsigned flow_labels_read(const char *text, uint32_t *labels)
{
	unsigned count = 0;

	for (char *end; *text; text = *end ? end + 1 : end)
		labels[count++] = (uint32_t)strtoul(text, &end, 0);
	return count;
}

/* As in linux-rdma perftest: "255:1:0:...", 16 numbers of any base. */
static bool read_numbers(const char *text, uint8_t gid[16])
{
	for (unsigned i = 0; i < 16; i++) {
		char *end;
		const unsigned long number = isdigit((unsigned char)*text) ? strtoul(text, &end, 0) : UINT8_MAX + 1;

		if (number > UINT8_MAX || *end != (i < 15 ? ':' : '\0'))
			return false;
		gid[i] = (uint8_t)number;
		text = end + 1;
	}
	return true;
}

bool group_gid_read(const char *text, uint8_t gid[16])
{
	const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (read_numbers(text, gid) || inet_pton(AF_INET6, text, gid) == 1)
		return true;
	memcpy(gid, mapped, sizeof(mapped));
	return inet_pton(AF_INET, text, gid + 12) == 1;
}

const char *check_group_gid(const char *text)
{
	const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	uint8_t gid[16];

	if (!group_gid_read(text, gid))
		return "is not a GID such as ff0e::1:2, 239.1.1.2 or 255:14:0:0:0:0:0:0:0:0:0:0:0:1:0:2";
	if (gid[0] == 0xff || (memcmp(gid, mapped, sizeof(mapped)) == 0 && (gid[12] & 0xf0) == 0xe0))
		return NULL;
	return "is not a multicast address; multicast addresses begin with ff, or with IPv4 are 224.0.0.0 to "
	       "239.255.255.255";
}

#define LARGEST (1ULL << 31) /* the longest RDMA message */

int sizes_parse(const char *text, struct sweep *sweep)
{
	struct sweep read;
	char fields[2][32];
	int length = 0;

	if (sscanf(text, "%31[^:]:%31[^:]:%n", fields[0], fields[1], &length) != 2 || !length)
		return -EINVAL;
	text += length;
	read.multiplies = *text == '*';
	if (units_parse_size(fields[0], 1, LARGEST, &read.first) ||
	    units_parse_size(fields[1], read.first, LARGEST, &read.last) ||
	    units_parse_size(text + read.multiplies, 1 + read.multiplies, LARGEST, &read.step) ||
	    sweep_count(&read, read.last) > SWEEP_MOST_SIZES)
		return -EINVAL;
	*sweep = read;
	return 0;
}

const char *check_sizes(const char *text)
{
	struct sweep sweep;

	return strcmp(text, "off") && sizes_parse(text, &sweep)
		       ? "is not FIRST:LAST:STEP with at most 1000 sizes up to 2G, such as 4K:1M:*4"
		       : NULL;
}
