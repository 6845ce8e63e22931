// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The server, and its port, that a text names. See host.h. */
#include "params/engine/host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/opt.h"
#include "util/units.h"

int host_split(const char *operand, char *host, size_t host_size, uint16_t *port, char *reason, size_t reason_size)
{
	const bool bracket = *operand == '[';
	const char *name = bracket ? operand + 1 : operand;
	const char *colon = strchr(name, ':');
	size_t length = strlen(name);
	const char *port_text = NULL;
	uint64_t number = 0;

	if (bracket) {
		length = strcspn(name, "]");
		if (!name[length])
			return opt_refuse(reason, reason_size, "%s has no ]; write [ADDRESS] or [ADDRESS]:PORT",
					  opt_quote(operand).text);
		if (name[length + 1] == ':')
			port_text = name + length + 2;
		else if (name[length + 1])
			return opt_refuse(reason, reason_size, "%s: only :PORT may follow the ]",
					  opt_quote(operand).text);
	} else if (colon && !strchr(colon + 1, ':')) {
		length = (size_t)(colon - name);
		port_text = colon + 1;
	}
	if (!length)
		return opt_refuse(reason, reason_size, "%s names no host", opt_quote(operand).text);
	if (length >= host_size)
		return opt_refuse(reason, reason_size, "%s is too long for a host name", opt_quote(operand).text);
	if (port_text && units_parse_u64(port_text, 1, UINT16_MAX, &number))
		return opt_refuse(reason, reason_size, "%s: the port after the colon must be 1 to 65535",
				  opt_quote(operand).text);
	memcpy(host, name, length);
	host[length] = '\0';
	*port = (uint16_t)number;
	return 0;
}

int host_take(const char *operand, const char *given, char *host, size_t host_size, uint16_t *port, char *reason,
	      size_t reason_size)
{
	uint16_t named;
	int ret;

	ret = host_split(operand, host, host_size, &named, reason, reason_size);
	if (ret || !named)
		return ret;
	if (given && *port != named)
		return opt_refuse(reason, reason_size, "%s is %u but %s names another port; give one of them", given,
				  *port, opt_quote(operand).text);
	*port = named;
	return 0;
}

unsigned hosts_count(const char *operand)
{
	unsigned count = 1;

	for (; *operand; operand++)
		count += *operand == ',';
	return count;
}

const char *hosts_at(const char *operand, unsigned n, size_t *length)
{
	for (; n; n--)
		operand += strcspn(operand, ",") + 1;
	*length = strcspn(operand, ",");
	return operand;
}

int hosts_split(const char *operand, unsigned n, uint16_t usual_port, char host[HOST_NAME_SIZE], uint16_t *port,
		char *reason, size_t reason_size)
{
	char alone[OPT_TEXT_SIZE];
	size_t length;
	const char *at = hosts_at(operand, n, &length);
	int ret;

	snprintf(alone, sizeof(alone), "%.*s", (int)length, at);
	ret = host_split(alone, host, HOST_NAME_SIZE, port, reason, reason_size);
	if (!ret && !*port)
		*port = usual_port;
	return ret;
}

int hosts_check(const char *operand, uint16_t usual_port, char *reason, size_t reason_size)
{
	const unsigned count = hosts_count(operand);
	char host[HOST_NAME_SIZE], other[HOST_NAME_SIZE];
	uint16_t port, other_port;
	int ret = 0;

	if (count > HOSTS_MOST)
		return opt_refuse(reason, reason_size, "%u hosts are too many: a test can have up to %u", count,
				  HOSTS_MOST);
	for (unsigned i = 0; !ret && i < count; i++) {
		ret = hosts_split(operand, i, usual_port, host, &port, reason, reason_size);
		for (unsigned j = 0; !ret && j < i; j++) {
			hosts_split(operand, j, usual_port, other, &other_port, reason, reason_size);
			if (port == other_port && strcmp(host, other) == 0)
				ret = opt_refuse(
					reason, reason_size,
					"%s is named twice: a server has one client at a time, so name another "
					"port (HOST:PORT)",
					opt_quote(host).text);
		}
	}
	return ret;
}

/* --- which hosts are allowed --- */

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static int parse_one(const char *network, struct allow *allow)
{
	char word[INET6_ADDRSTRLEN + sizeof("/128")], *slash;
	uint8_t *address = allow->networks[allow->count].address;
	uint64_t bits;
	bool is_ipv4;

	if (strlen(network) >= sizeof(word))
		return -EINVAL;
	strcpy(word, network);
	slash = strchr(word, '/');
	if (slash)
		*slash = '\0';
	memcpy(address, mapped, sizeof(mapped));
	is_ipv4 = inet_pton(AF_INET, word, address + sizeof(mapped)) == 1;
	if (!is_ipv4 && inet_pton(AF_INET6, word, address) != 1)
		return -EINVAL;
	bits = is_ipv4 ? 32 : 128;
	if (slash && units_parse_u64(slash + 1, 0, bits, &bits))
		return -EINVAL;
	allow->networks[allow->count++].bits = (uint8_t)(is_ipv4 ? bits + 96 : bits);
	return 0;
}

int allow_parse(const char *text, struct allow *allow, char *reason, size_t reason_size)
{
	char words[256], *rest, *word;

	memset(allow, 0, sizeof(*allow));
	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (allow->count == ALLOW_MAX)
			return opt_refuse(reason, reason_size, "--allow: more than %d networks", ALLOW_MAX);
		if (parse_one(word, allow))
			return opt_refuse(reason, reason_size,
					  "--allow: %s is not an address or network (192.0.2.0/24, 2001:db8::1)",
					  opt_quote(word).text);
	}
	if (*text && !allow->count)
		return opt_refuse(reason, reason_size, "--allow: the list is empty");
	return 0;
}

static bool network_contains(const uint8_t *address, const uint8_t *network, unsigned bits)
{
	const unsigned bytes = bits / 8, rest = bits % 8;
	const uint8_t mask = (uint8_t)(0xff00 >> rest);

	return memcmp(address, network, bytes) == 0 && (!rest || !((address[bytes] ^ network[bytes]) & mask));
}

bool allow_has(const struct allow *allow, const struct sockaddr_storage *address)
{
	uint8_t bytes[16];

	memcpy(bytes, mapped, sizeof(mapped));
	if (address->ss_family == AF_INET)
		memcpy(bytes + sizeof(mapped), &((const struct sockaddr_in *)address)->sin_addr, 4);
	else
		memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, sizeof(bytes));
	for (unsigned i = 0; i < allow->count; i++)
		if (network_contains(bytes, allow->networks[i].address, allow->networks[i].bits))
			return true;
	return !allow->count;
}
