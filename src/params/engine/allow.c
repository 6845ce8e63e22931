// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See allow.h. */
#include "params/engine/allow.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/opt.h"
#include "util/units.h"

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
	char words[256], quoted[OPT_QUOTE_SIZE], *rest, *word;

	memset(allow, 0, sizeof(*allow));
	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (allow->count == ALLOW_MAX)
			return opt_refuse(reason, reason_size, "--allow: more than %d networks", ALLOW_MAX);
		if (parse_one(word, allow))
			return opt_refuse(reason, reason_size,
					  "--allow: %s is not an address or network (192.0.2.0/24, 2001:db8::1)",
					  opt_quote(word, quoted));
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
