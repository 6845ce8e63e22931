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

/* The one that is used, and 0 or -errno: it is not this host's. */
struct candidate {
	struct sockaddr_storage address;
	int fault;
};

/* One of this host's is better than others, and then one of IPv4; of equals the first. Returns whether it is of IP. */
static bool local_keep(struct candidate *kept, const struct sockaddr *address, bool sockets)
{
	const bool has_one = kept->address.ss_family != AF_UNSPEC;
	struct candidate found = {0};

	if (!address || (address->sa_family != AF_INET && address->sa_family != AF_INET6))
		return false;
	memcpy(&found.address, address, address_length(address));
	found.fault = check_own(&found.address, sockets);
	if (!has_one || (kept->fault && !found.fault) ||
	    (!kept->fault == !found.fault && kept->address.ss_family == AF_INET6 && address->sa_family == AF_INET))
		*kept = found;
	return true;
}

/* has: as getifaddrs() says, of an address of IPv4 its label, if it has one: "eth0:1". name: either. */
static bool is_interface(const char *has, const char *name)
{
	const size_t length = strcspn(has, ":");

	return strcmp(has, name) == 0 || (strncmp(has, name, length) == 0 && !name[length]);
}

static int interface_addresses(const char *name, bool sockets, struct candidate *found)
{
	struct ifaddrs *all;
	bool seen = false;
	int ret = -EADDRNOTAVAIL;

	if (getifaddrs(&all)) {
		ret = -errno;
		return log_fail(ret, "cannot list the network interfaces: %s", strerror(-ret));
	}
	for (struct ifaddrs *at = all; at; at = at->ifa_next) {
		if (!is_interface(at->ifa_name, name))
			continue;
		seen = true;
		if (local_keep(found, at->ifa_addr, sockets))
			ret = 0;
	}
	freeifaddrs(all);
	if (ret && !seen)
		log_error("no network interface is called %s (-B); \"ip address\" lists them", name);
	else if (ret)
		log_error("the network interface %s (-B) has no IP address", name);
	return ret;
}

static int named_addresses(const char *text, bool sockets, struct candidate *found)
{
	struct addrinfo *all;
	const int rc = address_resolve(text, 0, AF_UNSPEC, 0, &all);

	if (rc)
		return log_fail(-EADDRNOTAVAIL, "the address %s (-b) can't be used: %s", text,
				address_resolve_error(rc));
	for (const struct addrinfo *at = all; at; at = at->ai_next)
		local_keep(found, at->ai_addr, sockets);
	freeaddrinfo(all);
	return 0;
}

int local_find(const struct cmtime_params *params, struct sockaddr_storage *local)
{
	struct candidate found = {0};
	char text[ADDRESS_TEXT_SIZE];
	int ret;

	ret = params->bind_interface[0] ? interface_addresses(params->bind_interface, params->sockets, &found)
					: named_addresses(params->bind_address, params->sockets, &found);
	if (ret)
		return ret;
	ret = found.fault;
	address_text((struct sockaddr *)&found.address, text);
	if (ret == -EMFILE || ret == -ENFILE)
		log_error("the address %s can't be used: too many open files; see ulimit -n", text);
	else if (ret)
		log_error("%s is not an address of this host (%s); \"ip address\" lists them", text, strerror(-ret));
	else if (params->bind_interface[0])
		log_info("using address %s of interface %s", text, params->bind_interface);
	if (!ret)
		*local = found.address;
	return ret;
}
