// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* This host's address of -B or -b. */
#include "cmtime/engine.h"

#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/address.h"
#include "util/log.h"
#include "verbs/connect/cm.h"

/* Keeps the first one of IPv4, or else of IPv6. Returns whether it is of IP. */
static bool local_keep(struct sockaddr_storage *kept, const struct sockaddr *address)
{
	if (!address || (address->sa_family != AF_INET && address->sa_family != AF_INET6))
		return false;
	if (kept->ss_family == AF_UNSPEC || (kept->ss_family == AF_INET6 && address->sa_family == AF_INET))
		memcpy(kept, address, address_length(address));
	return true;
}

static int interface_addresses(const char *name, struct sockaddr_storage *found)
{
	struct ifaddrs *all;
	bool seen = false;
	int ret = -EADDRNOTAVAIL;

	if (getifaddrs(&all)) {
		ret = -errno;
		return log_fail(ret, "cannot list the network interfaces: %s", strerror(-ret));
	}
	for (struct ifaddrs *at = all; at; at = at->ifa_next) {
		if (strcmp(at->ifa_name, name) != 0)
			continue;
		seen = true;
		if (local_keep(found, at->ifa_addr))
			ret = 0;
	}
	freeifaddrs(all);
	if (ret && !seen)
		log_error("no network interface is called %s (-B); \"ip address\" lists them", name);
	else if (ret)
		log_error("the network interface %s (-B) has no IP address", name);
	return ret;
}

static int named_addresses(const char *text, struct sockaddr_storage *found)
{
	struct addrinfo *all;
	const int rc = address_resolve(text, 0, AF_UNSPEC, 0, &all);

	if (rc)
		return log_fail(-EADDRNOTAVAIL, "the address %s (-b) can't be used: %s", text,
				address_resolve_error(rc));
	for (const struct addrinfo *at = all; at; at = at->ai_next)
		local_keep(found, at->ai_addr);
	freeaddrinfo(all);
	return 0;
}

/* A socket can be bound to any address of this host; others may be those of an RDMA device alone, as soft0's 192.0.2.1.
 */
static int check_own(const struct sockaddr_storage *address, bool sockets)
{
	int fd, ret = 0;

	fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)address, address_length((const struct sockaddr *)address)))
		ret = -errno;
	if (fd >= 0)
		close(fd);
	return ret == -EADDRNOTAVAIL && !sockets && cm_owns_address(address) ? 0 : ret;
}

int local_find(const struct cmtime_params *params, struct sockaddr_storage *local)
{
	struct sockaddr_storage found = {.ss_family = AF_UNSPEC};
	char text[ADDRESS_TEXT_SIZE];
	int ret;

	ret = params->bind_interface[0] ? interface_addresses(params->bind_interface, &found)
					: named_addresses(params->bind_address, &found);
	if (ret)
		return ret;
	ret = check_own(&found, params->sockets);
	address_text((struct sockaddr *)&found, text);
	if (ret == -EMFILE || ret == -ENFILE)
		log_error("the address %s can't be used: too many open files; see ulimit -n", text);
	else if (ret)
		log_error("%s is not an address of this host (%s); \"ip address\" lists them", text, strerror(-ret));
	else if (params->bind_interface[0])
		log_info("using address %s of interface %s", text, params->bind_interface);
	if (!ret)
		*local = found;
	return ret;
}
