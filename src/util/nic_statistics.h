/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does the driver of a network interface count? The statistics of `ethtool -S`, whose names and number are the
 * driver's own. Called by report (-W) and doctor; needs no privilege.
 */
#ifndef UTIL_NIC_STATISTICS_H
#define UTIL_NIC_STATISTICS_H

#include <stdint.h>

#define NIC_STATISTICS_NAME 33 /* ETH_GSTRING_LEN, and a NUL */

struct nic_statistics {
	char netdev[16]; /* IFNAMSIZ */
	uint32_t count;
	char (*names)[NIC_STATISTICS_NAME]; /* printable, without blanks, commas or quotes: others are '_' */
	uint64_t *values;
};

/* Names and values. Frees with nic_statistics_close(). -EOPNOTSUPP: the driver has none; -ENODEV: no such interface. */
int nic_statistics_open(struct nic_statistics *statistics, const char *netdev);
/* The values anew. -ESTALE: the driver has another number of them by now. */
int nic_statistics_read(struct nic_statistics *statistics);
void nic_statistics_close(struct nic_statistics *statistics);

/* One ethtool command (linux/ethtool.h) for an interface. 0 or -errno. */
int nic_ethtool(const char *netdev, void *command);

#endif
