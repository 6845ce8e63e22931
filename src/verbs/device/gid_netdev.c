// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See gid_netdev.h. */
#include "verbs/device/gid_netdev.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/sysfs.h"
#include "verbs/device/gid_form.h"

void gid_netdevs_open(struct gid_netdevs *netdevs, const char *device, uint8_t port)
{
	*netdevs = (struct gid_netdevs){
		.device = device,
		.port = port,
		.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
	};
	if (getifaddrs(&netdevs->addresses))
		netdevs->addresses = NULL;
}

void gid_netdevs_close(struct gid_netdevs *netdevs)
{
	if (netdevs->addresses)
		freeifaddrs(netdevs->addresses);
	if (netdevs->fd >= 0)
		close(netdevs->fd);
}

static bool is_address_here(const struct gid_netdevs *netdevs, const union ibv_gid *gid)
{
	for (const struct ifaddrs *at = netdevs->addresses; at; at = at->ifa_next) {
		const struct sockaddr *address = at->ifa_addr;

		if (!address)
			continue;
		if (address->sa_family == AF_INET && gid_is_ipv4(gid) &&
		    memcmp(&((const struct sockaddr_in *)address)->sin_addr, gid->raw + 12, 4) == 0)
			return true;
		if (address->sa_family == AF_INET6 &&
		    memcmp(&((const struct sockaddr_in6 *)address)->sin6_addr, gid->raw, sizeof(gid->raw)) == 0)
			return true;
	}
	return false;
}

static bool is_down_here(const struct gid_netdevs *netdevs, const char *name)
{
	struct ifreq request = {0};

	memcpy(request.ifr_name, name, sizeof(request.ifr_name));
	return netdevs->fd >= 0 && !ioctl(netdevs->fd, SIOCGIFFLAGS, &request) && !(request.ifr_flags & IFF_UP);
}

void gid_netdevs_find(const struct gid_netdevs *netdevs, int index, unsigned ifindex, const union ibv_gid *gid,
		      bool is_address, struct gid_netdev *found)
{
	char here[IF_NAMESIZE];

	*found = (struct gid_netdev){.name = ""};
	sysfs_line(found->name, sizeof(found->name), "%s/class/infiniband/%s/ports/%u/gid_attrs/ndevs/%d", sysfs_root(),
		   netdevs->device, netdevs->port, index);
	if (!if_indextoname(ifindex, here)) {
		found->foreign = true;
		return;
	}
	found->foreign = found->name[0] && strcmp(found->name, here) != 0;
	/* Many namespaces have an eth0 with index 2; and a link-local GID need not be an address of it. */
	if (!found->foreign && is_address && netdevs->addresses && !gid_is_link_local(gid))
		found->foreign = !is_address_here(netdevs, gid);
	if (found->foreign)
		return;
	memcpy(found->name, here, sizeof(found->name));
	found->down = is_down_here(netdevs, here);
}
