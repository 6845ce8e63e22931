// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Maps IP addresses to devices. The addresses in the devices' own GID tables, 192.0.2.1 and 192.0.2.2, identify one
 * device each. Every other address of this host (and network namespace) belongs to both: a connection from it starts at
 * soft0, and one to it arrives at the device where it started. No other host is reachable.
 */
#include "config.h"

#include "abi/abi.h"
#include "cm/cm.h"

#define GID_INDEX_LINK_LOCAL 0 /* like CM_GID_INDEX_IPV4 */

size_t cm_address_size(const union cm_address *address)
{
	switch (address->any.sa_family) {
	case AF_INET:
		return sizeof(address->in);
	case AF_INET6:
		return sizeof(address->in6);
	default:
		return 0;
	}
}

bool cm_address_is_any(const union cm_address *address)
{
	if (address->any.sa_family == AF_INET)
		return address->in.sin_addr.s_addr == INADDR_ANY;
	return IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr);
}

bool cm_address_is_multicast(const union cm_address *address)
{
	if (address->any.sa_family == AF_INET)
		return IN_MULTICAST(ntohl(address->in.sin_addr.s_addr));
	return IN6_IS_ADDR_MULTICAST(&address->in6.sin6_addr);
}

in_port_t *cm_address_port(union cm_address *address)
{
	return address->any.sa_family == AF_INET ? &address->in.sin_port : &address->in6.sin6_port;
}

union ibv_gid cm_address_gid(const union cm_address *address)
{
	union ibv_gid gid;

	if (address->any.sa_family == AF_INET)
		return soft_gid_of_ipv4(&address->in.sin_addr);
	memcpy(gid.raw, &address->in6.sin6_addr, sizeof(gid.raw));
	return gid;
}

/* The number of the device with that address in its GID table, -1: none. */
static int named_device(const union cm_address *address)
{
	const union ibv_gid gid = cm_address_gid(address);

	for (unsigned int device = 0; device < SOFT_DEVICE_COUNT; device++) {
		union ibv_gid theirs;

		for (uint32_t index = 0; soft_device_gid(device, SOFT_PORT, index, &theirs) == 0; index++) {
			if (memcmp(&gid, &theirs, sizeof(gid)) == 0)
				return (int)device;
		}
	}
	return -1;
}

int cm_device_of(const union cm_address *address, int otherwise)
{
	int device = named_device(address);

	return device < 0 ? otherwise : device;
}

bool cm_address_is_local(const union cm_address *address)
{
	union cm_address copy = *address;
	bool is_ours;
	int fd;

	if (named_device(address) >= 0)
		return true;
	fd = socket(address->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	*cm_address_port(&copy) = 0;
	is_ours = bind(fd, &copy.any, (socklen_t)cm_address_size(&copy)) == 0;
	close(fd);
	return is_ours;
}

/* The ABI uses the IPv6 structure for both families. */
int cm_address_read(const struct sockaddr_in6 *from, union cm_address *address)
{
	memset(address, 0, sizeof(*address));
	if (from->sin6_family == AF_INET)
		memcpy(&address->in, from, sizeof(address->in));
	else if (from->sin6_family == AF_INET6)
		address->in6 = *from;
	else
		return -EINVAL;
	return 0;
}

void cm_address_of_device(int device, union cm_address *address)
{
	union ibv_gid gid;

	if (address->any.sa_family == AF_INET) {
		soft_device_gid((unsigned int)device, SOFT_PORT, CM_GID_INDEX_IPV4, &gid);
		memcpy(&address->in.sin_addr, gid.raw + 12, sizeof(address->in.sin_addr));
	} else {
		soft_device_gid((unsigned int)device, SOFT_PORT, GID_INDEX_LINK_LOCAL, &gid);
		memcpy(&address->in6.sin6_addr, gid.raw, sizeof(gid.raw));
	}
}
