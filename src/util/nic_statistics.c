// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ioctl(SIOCETHTOOL). See nic_statistics.h. */
#include "util/nic_statistics.h"

#include <ctype.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/netdev.h"

#define MOST_STATISTICS 65536 /* of a driver; a larger number is considered invalid */

_Static_assert(NIC_STATISTICS_NAME == ETH_GSTRING_LEN + 1, "a statistic's name");
_Static_assert(sizeof(((struct nic_statistics *)NULL)->netdev) == IFNAMSIZ, "an interface's name");

int nic_ethtool(const char *netdev, void *command)
{
	struct ifreq request = {.ifr_data = command};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", netdev);
	err = ioctl(fd, SIOCETHTOOL, &request) ? -errno : 0;
	close(fd);
	return err;
}

/* Their number. 0 or -errno. */
static int count_statistics(const char *netdev, uint32_t *count)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	int err = nic_ethtool(netdev, &info);

	if (err)
		return err;
	if (info.n_stats == 0 || info.n_stats > MOST_STATISTICS)
		return -EOPNOTSUPP;
	*count = info.n_stats;
	return 0;
}

static void copy_name(char name[NIC_STATISTICS_NAME], const uint8_t *from)
{
	snprintf(name, NIC_STATISTICS_NAME, "%.*s", ETH_GSTRING_LEN, (const char *)from);
	for (; *name; name++)
		if (!isgraph((unsigned char)*name) || strchr(",\"'", *name))
			*name = '_';
}

static int read_names(struct nic_statistics *statistics)
{
	/* Room for more than reported: the driver may have added a queue since then. */
	struct ethtool_gstrings *strings = calloc(2 * (size_t)statistics->count + 1, ETH_GSTRING_LEN);
	int err;

	statistics->names = calloc(statistics->count, sizeof(*statistics->names));
	if (!strings || !statistics->names) {
		free(strings);
		return -ENOMEM;
	}
	*strings = (struct ethtool_gstrings){
		.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = statistics->count};
	err = nic_ethtool(statistics->netdev, strings);
	for (uint32_t i = 0; !err && i < statistics->count; i++)
		copy_name(statistics->names[i], strings->data + (size_t)i * ETH_GSTRING_LEN);
	free(strings);
	return err;
}

/* 0: it has no such statistic. Ports of one driver have the same names. */
static uint64_t value_of(const struct nic_statistics *statistics, const char *name, uint32_t usual)
{
	if (usual < statistics->count && strcmp(statistics->names[usual], name) == 0)
		return statistics->values[usual];
	for (uint32_t i = 0; i < statistics->count; i++)
		if (strcmp(statistics->names[i], name) == 0)
			return statistics->values[i];
	return 0;
}

static int read_own(struct nic_statistics *statistics)
{
	struct ethtool_stats *stats;
	uint32_t count;
	int err = count_statistics(statistics->netdev, &count);

	if (!err && count != statistics->count)
		err = -ESTALE;
	if (err)
		return err;
	stats = calloc(2 * (size_t)count + 1, sizeof(uint64_t));
	if (!stats)
		return -ENOMEM;
	*stats = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = count};
	err = nic_ethtool(statistics->netdev, stats);
	for (uint32_t i = 0; !err && i < count; i++)
		statistics->values[i] = stats->data[i];
	free(stats);
	return err;
}

int nic_statistics_read(struct nic_statistics *statistics)
{
	int err = read_own(statistics);

	for (struct nic_statistics *port = statistics->next; !err && port; port = port->next) {
		err = read_own(port);
		for (uint32_t i = 0; !err && i < statistics->count; i++)
			statistics->values[i] += value_of(port, statistics->names[i], i);
	}
	return err;
}

static int open_one(struct nic_statistics *statistics, const char *netdev)
{
	struct nic_statistics opened = {0};
	int err;

	snprintf(opened.netdev, sizeof(opened.netdev), "%s", netdev);
	err = count_statistics(opened.netdev, &opened.count);
	if (err)
		return err;
	opened.values = calloc(opened.count, sizeof(*opened.values));
	err = opened.values ? read_names(&opened) : -ENOMEM;
	if (!err)
		err = nic_statistics_read(&opened);
	if (err)
		nic_statistics_close(&opened);
	else
		*statistics = opened;
	return err;
}

static int open_layers(struct nic_statistics *statistics, const char *sys, const char *netdev, unsigned layers)
{
	struct nic_statistics *first = NULL, *port, **end;
	int err = open_one(statistics, netdev);
	const char *lower;
	DIR *folder;

	if (err != -EOPNOTSUPP || !layers)
		return err;
	folder = netdev_open(sys, netdev);
	while ((lower = netdev_next_lower(folder))) {
		port = calloc(1, sizeof(*port));
		if (!port || open_layers(port, sys, lower, layers - 1)) {
			free(port);
			continue;
		}
		for (end = &first; *end;)
			end = &(*end)->next;
		*end = port;
	}
	if (folder)
		closedir(folder);
	if (!first)
		return err;
	*statistics = *first;
	free(first);
	err = nic_statistics_read(statistics);
	if (err)
		nic_statistics_close(statistics);
	return err;
}

int nic_statistics_open_below(struct nic_statistics *statistics, const char *sys, const char *netdev)
{
	return open_layers(statistics, sys, netdev, NETDEV_LAYERS);
}

void nic_statistics_close(struct nic_statistics *statistics)
{
	if (statistics->next)
		nic_statistics_close(statistics->next);
	free(statistics->next);
	free(statistics->names);
	free(statistics->values);
	*statistics = (struct nic_statistics){0};
}

static bool has_any(const char *name, const char *const words[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

bool nic_counts_pause(const char *name)
{
	/* Not a time, nor changes of state, nor bnxt_en's frames by priority, which are in rx_pfc_frames. */
	static const char *const others[] = {"duration", "transition", "_1us_count", "_events", "xoff_time", "2_xoff"};
	/* "xoff": Intel's. "pfc_pkt": hns3's, which contains those by priority. "x_ppp": cxgb4's by priority. */
	static const char *const frames[] = {"pause", "x_pfc_frames", "xoff", "pfc_pkt", "x_ppp"};

	return has_any(name, frames, sizeof(frames) / sizeof(frames[0])) &&
	       !has_any(name, others, sizeof(others) / sizeof(others[0]));
}
