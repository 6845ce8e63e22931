// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Server addresses in frames. See address.h. */
#include "cmtime/address.h"

#include <netinet/in.h>
#include <string.h>

#include "net/address.h"

void address_to_frame(const struct sockaddr_storage *address, struct server_address *frame)
{
	const bool six = address->ss_family == AF_INET6;

	*frame = (struct server_address){six ? 6 : 4, address_port((const struct sockaddr *)address), {0}};
	if (six)
		memcpy(frame->bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
	else
		memcpy(frame->bytes, &((const struct sockaddr_in *)address)->sin_addr, 4);
}

void address_from_frame(const struct server_address *frame, const struct sockaddr_storage *local,
			struct sockaddr_storage *address)
{
	struct sockaddr_in *four = (struct sockaddr_in *)address;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;

	*address = (struct sockaddr_storage){.ss_family = frame->family == 6 ? AF_INET6 : AF_INET};
	address_set_port((struct sockaddr *)address, frame->port);
	if (frame->family != 6) {
		memcpy(&four->sin_addr, frame->bytes, 4);
		return;
	}
	memcpy(&six->sin6_addr, frame->bytes, 16);
	if (IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr) && local->ss_family == AF_INET6)
		six->sin6_scope_id = ((const struct sockaddr_in6 *)local)->sin6_scope_id;
}
