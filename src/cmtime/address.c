// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Server addresses in frames. See address.h. */
#include "cmtime/address.h"

#include <netinet/in.h>
#include <string.h>

bool address_same_family(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	return a->ss_family == b->ss_family;
}

void address_to_frame(const struct sockaddr_storage *address, struct server_address *frame)
{
	memset(frame, 0, sizeof(*frame));
	if (address->ss_family == AF_INET6) {
		const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;

		frame->family = 6;
		frame->port = ntohs(six->sin6_port);
		memcpy(frame->bytes, &six->sin6_addr, 16);
	} else {
		const struct sockaddr_in *four = (const struct sockaddr_in *)address;

		frame->family = 4;
		frame->port = ntohs(four->sin_port);
		memcpy(frame->bytes, &four->sin_addr, 4);
	}
}

void address_from_frame(const struct server_address *frame, const struct sockaddr_storage *local,
			struct sockaddr_storage *address)
{
	memset(address, 0, sizeof(*address));
	if (frame->family == 6) {
		struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;

		six->sin6_family = AF_INET6;
		six->sin6_port = htons(frame->port);
		memcpy(&six->sin6_addr, frame->bytes, 16);
		if (IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr) && local->ss_family == AF_INET6)
			six->sin6_scope_id = ((const struct sockaddr_in6 *)local)->sin6_scope_id;
	} else {
		struct sockaddr_in *four = (struct sockaddr_in *)address;

		four->sin_family = AF_INET;
		four->sin_port = htons(frame->port);
		memcpy(&four->sin_addr, frame->bytes, 4);
	}
}
