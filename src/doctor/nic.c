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

static void add_counter(struct nic *nic, const char *name, uint64_t value)
{
	unsigned i = 0;

	while (i < nic->num_counters && strcmp(nic->counters[i].name, name) != 0)
		i++;
	if (i == NIC_COUNTERS)
		return;
	if (i == nic->num_counters) {
		memcpy(nic->counters[i].name, name, NIC_STATISTICS_NAME);
		nic->counters[nic->num_counters++].value = 0;
	}
	nic->counters[i].value += value;
}

static void ask_counters(struct nic *nic, const char *netdev)
{
	struct nic_statistics statistics;

	if (nic_statistics_open(&statistics, netdev))
		return;
	for (uint32_t i = 0; i < statistics.count; i++) {
		const char *name = statistics.names[i];

		if (nic_counts_pause(name) || nic_counts_drops(name))
			add_counter(nic, name, statistics.values[i]);
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

void nic_add_port(struct nic *nic, const char *netdev)
{
	if (!nic->pause_known)
		ask_pause(nic, netdev);
	ask_counters(nic, netdev);
}
