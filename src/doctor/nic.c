// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "doctor/nic.h"

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

#define MOST_STATISTICS 65536 /* of a driver; an answer beyond it is not believed */

_Static_assert(NIC_NAME == ETH_GSTRING_LEN, "a counter's name");

bool nic_counts_pause(const char *name)
{
	/* how long, and how often it began, say nothing more than the number of frames */
	return strstr(name, "pause") && !strstr(name, "duration") && !strstr(name, "transition");
}

bool nic_counts_drops(const char *name)
{
	return strstr(name, "discard") || strstr(name, "out_of_buffer") || strstr(name, "no_buffer");
}

static int ethtool(int fd, const char *netdev, void *command)
{
	struct ifreq request = {.ifr_data = command};

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", netdev);
	return ioctl(fd, SIOCETHTOOL, &request) ? -errno : 0;
}

static void ask_pause(struct nic *nic, int fd, const char *netdev)
{
	struct ethtool_pauseparam pause = {.cmd = ETHTOOL_GPAUSEPARAM};

	if (ethtool(fd, netdev, &pause))
		return;
	nic->pause_known = true;
	nic->pause_rx = pause.rx_pause;
	nic->pause_tx = pause.tx_pause;
}

static void ask_counters(struct nic *nic, int fd, const char *netdev)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ethtool_gstrings *names = NULL;
	struct ethtool_stats *values = NULL;
	uint32_t count;

	if (ethtool(fd, netdev, &info) || info.n_stats == 0 || info.n_stats > MOST_STATISTICS)
		return;
	count = info.n_stats;
	/* Room for more than was promised: the driver may have got a queue since then. */
	names = calloc(2 * count, ETH_GSTRING_LEN + sizeof(uint64_t));
	values = calloc(2 * count, 2 * sizeof(uint64_t));
	if (!names || !values)
		goto out;
	*names = (struct ethtool_gstrings){.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = count};
	if (ethtool(fd, netdev, names))
		goto out;
	*values = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = count};
	if (ethtool(fd, netdev, values))
		goto out;
	for (uint32_t i = 0; i < count && nic->num_counters < NIC_COUNTERS; i++) {
		char name[NIC_NAME + 1];

		snprintf(name, sizeof(name), "%.*s", NIC_NAME, (const char *)names->data + i * ETH_GSTRING_LEN);
		if (!nic_counts_pause(name) && !nic_counts_drops(name))
			continue;
		memcpy(nic->counters[nic->num_counters].name, name, sizeof(name));
		nic->counters[nic->num_counters++].value = values->data[i];
	}
out:
	free(names);
	free(values);
}

void nic_ask(struct nic *nic, const char *netdev)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	memset(nic, 0, sizeof(*nic));
	if (fd < 0)
		fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		nic->error = -errno;
		return;
	}
	nic->error = ethtool(fd, netdev, &info);
	if (!nic->error) {
		ask_pause(nic, fd, netdev);
		ask_counters(nic, fd, netdev);
	}
	close(fd);
}
