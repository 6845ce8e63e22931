// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* This host's addresses, and server addresses in frames. See address.h. */
#include "cmtime/address.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/log.h"

bool address_same_family(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	return a->ss_family == b->ss_family;
}

static int interface_address(const char *name, struct sockaddr_storage *address)
{
	struct ifaddrs *all;
	char text[ADDRESS_TEXT_SIZE];
	bool seen = false;
	int ret = -EADDRNOTAVAIL;

	if (getifaddrs(&all)) {
		ret = -errno;
		log_error("cannot list the network interfaces: %s", strerror(-ret));
		return ret;
	}
	for (struct ifaddrs *at = all; at && ret; at = at->ifa_next) {
		if (strcmp(at->ifa_name, name) != 0)
			continue;
		seen = true;
		if (!at->ifa_addr || (at->ifa_addr->sa_family != AF_INET && at->ifa_addr->sa_family != AF_INET6))
			continue;
		memset(address, 0, sizeof(*address));
		address->ss_family = at->ifa_addr->sa_family;
		memcpy(address, at->ifa_addr, address_length((const struct sockaddr *)address));
		ret = 0;
	}
	freeifaddrs(all);
	if (ret && !seen)
		log_error("no network interface is called %s (-B); \"ip address\" lists them", name);
	else if (ret)
		log_error("the network interface %s (-B) has no IP address", name);
	else
		log_info("using address %s of interface %s", address_text((struct sockaddr *)address, text), name);
	return ret;
}

static int named_address(const char *text, struct sockaddr_storage *address)
{
	struct addrinfo *found;
	const int rc = address_resolve(text, 0, AF_UNSPEC, 0, &found);

	if (rc) {
		log_error("the address %s (-b) can't be used: %s", text, address_resolve_error(rc));
		return -EADDRNOTAVAIL;
	}
	memset(address, 0, sizeof(*address));
	memcpy(address, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return 0;
}

/* A socket can be bound to any address of this host, even if RDMA will be used. */
static int check_own(const struct sockaddr_storage *address)
{
	char text[ADDRESS_TEXT_SIZE];
	int fd, ret = 0;

	fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)address, address_length((const struct sockaddr *)address)))
		ret = -errno;
	if (fd >= 0)
		close(fd);
	if (ret)
		log_error("%s is not an address of this host (%s); \"ip address\" lists them",
			  address_text((struct sockaddr *)address, text), strerror(-ret));
	return ret;
}

int address_local(const struct cmtime_params *params, struct sockaddr_storage *address)
{
	struct sockaddr_storage found;
	int ret;

	ret = params->bind_interface[0] ? interface_address(params->bind_interface, &found)
					: named_address(params->bind_address, &found);
	if (!ret)
		ret = check_own(&found);
	if (!ret)
		*address = found;
	return ret;
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
