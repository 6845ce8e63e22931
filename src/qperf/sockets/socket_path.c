// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What do the messages of a socket pass through? The interface that its connection uses, as facts of payload_limit.h.
 */
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>

#include "explain/watch.h"
#include "net/address.h"
#include "qperf/sockets/socket.h"
#include "report/payload_share.h"
#include "util/netdev.h"
#include "util/sysfs.h"

#define MOST_MTU       65536
#define TIMESTAMP_SIZE 12

void socket_path_of_netdev(const char *root, const char *netdev, struct payload_path *path)
{
	char link[PATH_MAX], device[PATH_MAX], text[64];
	long mtu;

	mtu = strtol(sysfs_line(text, sizeof(text), "%s/class/net/%s/mtu", root, netdev), NULL, 10);
	if (mtu <= 0 || mtu > MOST_MTU)
		return;
	path->link_gbits = netdev_link_gbits(root, netdev);
	path->num_links = 1;
	path->mtu = (uint32_t)mtu;
	path->vlan = netdev_is_vlan(root, netdev);
	/* ARPHRD_ETHER; IPoIB has other headers. */
	if (strcmp(sysfs_line(text, sizeof(text), "%s/class/net/%s/type", root, netdev), "1") && *text)
		path->wire = WIRE_UNKNOWN;
	/* PCIe of the interface itself, not of one below it */
	snprintf(link, sizeof(link), "%s/class/net/%s/device", root, netdev);
	if (realpath(link, device))
		payload_path_take_pcie(path, device);
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
