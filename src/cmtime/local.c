// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* This host's addresses of -B and -b. See local.h. */
#include "cmtime/local.h"

#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/address.h"
#include "util/log.h"
#include "verbs/connect/cm.h"

/* Keeps the first of each family. Returns whether it is of IP. */
static bool local_keep(struct local_addresses *found, const struct sockaddr *address)
{
	struct sockaddr_storage *kept;

	if (!address || (address->sa_family != AF_INET && address->sa_family != AF_INET6))
		return false;
	kept = address->sa_family == AF_INET ? &found->ipv4 : &found->ipv6;
	if (kept->ss_family == AF_UNSPEC)
		memcpy(kept, address, address_length(address));
	return true;
}

static int interface_addresses(const char *name, struct local_addresses *found)
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

static int named_addresses(const char *text, struct local_addresses *found)
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

int local_find(struct cmtime_params *params, struct local_addresses *found)
{
	struct local_addresses made = {0};
	struct sockaddr_storage *const each[] = {&made.ipv4, &made.ipv6};
	char text[ADDRESS_TEXT_SIZE] = "";
	uint8_t families = 0;
	int ret, fault = 0;

	ret = params->bind_interface[0] ? interface_addresses(params->bind_interface, &made)
					: named_addresses(params->bind_address, &made);
	if (ret)
		return ret;
	for (unsigned i = 0; i < 2; i++) {
		if (each[i]->ss_family == AF_UNSPEC)
			continue;
		ret = check_own(each[i], params->sockets);
		if (!ret) {
			families |= (uint8_t)(ADDRESS_IPV4 << i);
			continue;
		}
		if (!fault)
			address_text((struct sockaddr *)each[i], text);
		fault = fault ? fault : ret;
		each[i]->ss_family = AF_UNSPEC;
	}
	if (fault == -EMFILE || fault == -ENFILE) {
		log_error("the address %s can't be used: too many open files; see ulimit -n",
			  params->bind_interface[0] ? text : params->bind_address);
		return fault;
	}
	if (!families) {
		log_error("%s is not an address of this host (%s); \"ip address\" lists them", text, strerror(-fault));
		return fault;
	}
	params->families = families;
	*found = made;
	return 0;
}

const struct sockaddr_storage *local_choose(const struct local_addresses *found, uint8_t families)
{
	const bool has_ipv4 = found->ipv4.ss_family != AF_UNSPEC, has_ipv6 = found->ipv6.ss_family != AF_UNSPEC;

	return has_ipv4 && (families & ADDRESS_IPV4 || !(families & ADDRESS_IPV6) || !has_ipv6) ? &found->ipv4
												: &found->ipv6;
}
