// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does this string have the form that its option asks for? Whether the thing exists is for other layers to see. */
#include "params/checks.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CORE  65535	  /* above any kernel's NR_CPUS */
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
	const size_t length = strcspn(text, "%"); /* fe80::1%eth0: the scope is for the resolver */

	if (length >= sizeof(plain))
		return "is not an IP address";
	snprintf(plain, sizeof(plain), "%.*s", (int)length, text);
	if (ip_address_is_v6(text) ? inet_pton(AF_INET6, plain, address)
				   : !text[length] && inet_pton(AF_INET, plain, address))
		return NULL;
	return "is not an IP address";
}

/* A CPU number at *text, moved behind it; -1: there is none. */
static int core_scan(const char **text)
{
	char *end;
	unsigned long core;

	if (!isdigit((unsigned char)**text))
		return -1;
	core = strtoul(*text, &end, 10);
	*text = end;
	return core <= MAX_CORE ? (int)core : -1;
}

const char *check_core_list(const char *text)
{
	for (;;) {
		int first = core_scan(&text), last = first;

		if (first >= 0 && *text == '-') {
			text++;
			last = core_scan(&text);
		}
		if (first < 0 || last < first || (*text && *text != ','))
			return "is not a list of CPUs such as 0,2-3";
		if (!*text)
			return NULL;
		text++;
	}
}

/* The names are opened below the port's folder in sysfs and nowhere else. */
const char *check_counter_list(const char *text)
{
	for (;;) {
		const size_t length = strcspn(text, ",");

		if (!length || *text == '/')
			return "is not a list of files such as counters/port_xmit_data";
		for (size_t i = 0; i < length; i++) {
			if (!isalnum((unsigned char)text[i]) && !strchr("_-./", text[i]))
				return "is not a list of files such as counters/port_xmit_data";
			if (text[i] == '.' && text[i + 1] == '.')
				return "leaves the folder of the port";
		}
		if (!text[length])
			return NULL;
		text += length + 1;
	}
}

const char *check_device_name(const char *text)
{
	return strchr(text, '/') ? "is not a device name such as mlx5_0" : NULL;
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

unsigned flow_label_count(const char *text)
{
	unsigned count = 1;

	for (; *text; text++)
		count += *text == ',';
	return count;
}

uint32_t flow_label_at(const char *text, unsigned n)
{
	while (n--)
		text = strchr(text, ',') + 1;
	return (uint32_t)strtoul(text, NULL, 0);
}
