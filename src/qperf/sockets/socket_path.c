// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What do the messages of a socket pass through? The interface that its connection uses, as facts of payload_limit.h.
 */
#include <dirent.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explain/watch.h"
#include "net/address.h"
#include "qperf/sockets/socket.h"
#include "util/pcie.h"
#include "util/sysfs.h"

#define MOST_LAYERS    4	 /* of a VLAN over a bond */
#define MOST_MEGABITS  100000000 /* more is no speed */
#define MOST_MTU       65536
#define TIMESTAMP_SIZE 12

static bool is_of_type(const char *root, const char *netdev, const char *type)
{
	char text[64];

	sysfs_line(text, sizeof(text), "%s/class/net/%s/uevent", root, netdev);
	return strncmp(text, "DEVTYPE=", 8) == 0 && strcmp(text + 8, type) == 0;
}

/* Others, as veth, have a speed that is made up; a VLAN and a bond have those of what is below. */
static bool has_adapter(const char *root, const char *netdev, unsigned layers)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/class/net/%s/device", root, netdev);
	if (!access(path, F_OK))
		return true;
	if (!layers || (!is_of_type(root, netdev, "vlan") && !is_of_type(root, netdev, "bond")))
		return false;
	snprintf(path, sizeof(path), "%s/class/net/%s", root, netdev);
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder)))
		found = strncmp(entry->d_name, "lower_", 6) == 0 && has_adapter(root, entry->d_name + 6, layers - 1);
	if (folder)
		closedir(folder);
	return found;
}

/* The PCI function of the interface itself, not of one below it. */
static void read_pcie(const char *root, const char *netdev, struct payload_path *path)
{
	char device[PATH_MAX], function[PATH_MAX], physical[PATH_MAX];
	struct pcie_link least;

	snprintf(device, sizeof(device), "%s/class/net/%s/device", root, netdev);
	if (!realpath(device, function) || !sysfs_is_pci_address(sysfs_name(function)))
		return;
	pcie_physical(function, physical);
	if (!pcie_least_link(physical, &least))
		return;
	path->pcie_rate = least.rate;
	path->pcie_lanes = least.lanes;
	path->pcie_gbits = pcie_gbits(least.rate, least.lanes);
	path->pcie_bytes = pcie_payload(pcie_device_control(physical));
}

void socket_path_of_netdev(const char *root, const char *netdev, struct payload_path *path)
{
	char text[64];
	long megabits, mtu;

	megabits = strtol(sysfs_line(text, sizeof(text), "%s/class/net/%s/speed", root, netdev), NULL, 10);
	mtu = strtol(sysfs_line(text, sizeof(text), "%s/class/net/%s/mtu", root, netdev), NULL, 10);
	if (megabits <= 0 || megabits > MOST_MEGABITS || mtu <= 0 || mtu > MOST_MTU ||
	    !has_adapter(root, netdev, MOST_LAYERS))
		return;
	path->link_gbits = (double)megabits / 1000;
	path->num_links = 1;
	path->mtu = (uint32_t)mtu;
	path->vlan = is_of_type(root, netdev, "vlan");
	/* ARPHRD_ETHER; IPoIB has other headers. */
	if (strcmp(sysfs_line(text, sizeof(text), "%s/class/net/%s/type", root, netdev), "1") && *text)
		path->wire = WIRE_UNKNOWN;
	read_pcie(root, netdev, path);
}

/* Timestamps are in each segment, and the other side's MTU may be smaller. */
static void ask_tcp(int fd, struct payload_path *path)
{
	const uint32_t headers = (path->wire == WIRE_TCP_IPV6 ? 40 : 20) + 20;
	struct tcp_info info = {0};
	socklen_t size = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		return;
	path->option_bytes = info.tcpi_options & TCPI_OPT_TIMESTAMPS ? TIMESTAMP_SIZE : 0;
	if (info.tcpi_snd_mss && info.tcpi_snd_mss + headers + path->option_bytes < path->mtu)
		path->mtu = info.tcpi_snd_mss + headers + path->option_bytes;
}

void socket_find_path(const struct qperf_session *session)
{
	const struct link *link = session->own;
	struct sockaddr_storage own = {0}, peer = {0};
	socklen_t own_size = sizeof(own), peer_size = sizeof(peer);
	struct qperf_sides *sides = session->sides;
	bool is_ipv4;

	watch_find_netdev(link->fd, sides->netdev);
	if ((session->test->kind != PROTOCOL_TCP && session->test->kind != PROTOCOL_UDP) || !sides->netdev[0] ||
	    getsockname(link->fd, (struct sockaddr *)&own, &own_size) ||
	    getpeername(link->fd, (struct sockaddr *)&peer, &peer_size))
		return;
	address_unmap(&own);
	is_ipv4 = own.ss_family == AF_INET;
	sides->path = (struct payload_path){
		.verb = VERB_SEND,
		.wire = link->protocol->is_stream ? is_ipv4 ? WIRE_TCP_IPV4 : WIRE_TCP_IPV6
			: is_ipv4		  ? WIRE_UDP_IPV4
						  : WIRE_UDP_IPV6,
		.pcie_writes = !session->sends,
		.stays = address_is_own(&peer),
	};
	socket_path_of_netdev(sysfs_root(), sides->netdev, &sides->path);
	if (link->protocol->is_stream && sides->path.wire != WIRE_UNKNOWN)
		ask_tcp(link->fd, &sides->path);
}
