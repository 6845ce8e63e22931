// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "doctor/nic.h"

#include <linux/ethtool.h>
#include <string.h>

bool nic_counts_drops(const char *name)
{
	return strstr(name, "discard") || strstr(name, "out_of_buffer") || strstr(name, "no_buffer") ||
	       strcmp(name, "hw_rx_dropped") == 0 || strcmp(name, "frames_rx_dropped") == 0; /* ionic */
}

static void ask_pause(struct nic *nic, const char *netdev)
{
	struct ethtool_pauseparam pause = {.cmd = ETHTOOL_GPAUSEPARAM};

	if (nic_ethtool(netdev, &pause))
		return;
	nic->pause_known = true;
	nic->pause_rx = pause.rx_pause;
	nic->pause_tx = pause.tx_pause;
}

static void ask_counters(struct nic *nic, const char *netdev)
{
	struct nic_statistics statistics;

	if (nic_statistics_open(&statistics, netdev))
		return;
	for (uint32_t i = 0; i < statistics.count && nic->num_counters < NIC_COUNTERS; i++) {
		const char *name = statistics.names[i];

		if (!nic_counts_pause(name) && !nic_counts_drops(name))
			continue;
		memcpy(nic->counters[nic->num_counters].name, name, NIC_STATISTICS_NAME);
		nic->counters[nic->num_counters++].value = statistics.values[i];
	}
	nic_statistics_close(&statistics);
}

void nic_ask(struct nic *nic, const char *netdev)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	memset(nic, 0, sizeof(*nic));
	nic->error = nic_ethtool(netdev, &info);
	if (!nic->error) {
		ask_pause(nic, netdev);
		ask_counters(nic, netdev);
	}
}
