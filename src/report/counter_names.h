/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which counters has a port, by name? Called by counters.c, which chooses among them and reads them. */
#ifndef REPORT_COUNTER_NAMES_H
#define REPORT_COUNTER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "util/nic_statistics.h"

#define COUNTER_NIC_FOLDER "ethtool/"

/* Names with their folder, in the order of folders and of the alphabet; of the interface in its driver's. */
struct counter_names {
	char **list;
	size_t count;
	size_t first_of_nic; /* those from here on are statistics of the interface, in their order */
};

/* port: the port's folder in sysfs. Files that hold no number are none. 0 or -ENOMEM; frees with counter_names_free().
 */
int counter_names_read(struct counter_names *names, const char *port, const struct nic_statistics *statistics);
void counter_names_free(struct counter_names *names);

/* Is name, with its folder, what an element of -W asks for? */
bool counter_name_matches(const char *name, const char *asked);
/* May it stand for several: "all", or a pattern? */
bool counter_asked_is_pattern(const char *asked);

/* One line: there is no such counter, and those that there are. */
void counter_names_report_missing(const struct counter_names *names, const char *asked, const char *port);

/* The network interface of the port, as its GIDs name it; "" unknown. Returns netdev. */
const char *counter_netdev(const char *port, char *netdev, size_t size);

#endif
