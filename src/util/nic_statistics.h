/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The statistics of a network interface's driver, as shown by `ethtool -S`; their names and number depend on the
 * driver. Called by report (-W), doctor and explain; needs no privilege.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NIC_STATISTICS_NAME 33 /* ETH_GSTRING_LEN, and a NUL */

struct nic_statistics {
	char netdev[16]; /* IFNAMSIZ */
	uint32_t count;
	char (*names)[NIC_STATISTICS_NAME]; /* printable, without blanks, commas or quotes, which become '_' */
	uint64_t *values;
	struct nic_statistics *next; /* of a bond's next port, whose values are in these; NULL: none */
};

/*
 * Reads names and values. Free with nic_statistics_close(). -EOPNOTSUPP: none; -ENODEV: no such interface. Of one whose
 * driver counts nothing, as a bond, a VLAN, or a VLAN of a bond: the sums of its ports, of what the first counts. sys:
 * "/sys", except in tests.
 */
int nic_statistics_open_below(struct nic_statistics *statistics, const char *sys, const char *netdev);
/* Reads the values again. -ESTALE: their number has changed. */
int nic_statistics_read(struct nic_statistics *statistics);
void nic_statistics_close(struct nic_statistics *statistics);
/* Does a statistic of this name count pause frames? */
bool nic_counts_pause(const char *name);

/* One ethtool command (linux/ethtool.h) for an interface. 0 or -errno. */
int nic_ethtool(const char *netdev, void *command);
