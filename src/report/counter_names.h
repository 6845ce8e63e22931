/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of a port's counters. Called by counters.c, which selects and reads them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/nic_statistics.h"

#define COUNTER_NIC_FOLDER "ethtool/"

/* Names with their folder, sorted by folder and name; those of the interface in the driver's order. */
struct counter_names {
	char **list;
	size_t count;
	size_t first_of_nic; /* from here on statistics of the interface, in their order */
};

/* port: the port's folder in sysfs. Omits files without a number. 0 or -ENOMEM; free with counter_names_free(). */
int counter_names_read(struct counter_names *names, const char *port, const struct nic_statistics *statistics);
void counter_names_free(struct counter_names *names);

/* Does name, with its folder, match an element of -W? */
bool counter_name_matches(const char *name, const char *asked);
/* May it match several: "all", or a pattern? */
bool counter_asked_is_pattern(const char *asked);

/* Reports in a line that there is no such counter, and which there are. */
void counter_names_report_missing(const struct counter_names *names, const char *asked, const char *port);

/* The network interface of the port, as its GIDs name it; "" if unknown. Returns netdev. */
const char *counter_netdev(const char *port, char *netdev, size_t size);
