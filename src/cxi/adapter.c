// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See adapter.h. */
#include "cxi/adapter.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/host.h"
#include "util/sysfs.h"

#define NET	      "net"
#define MOST_LANES    32 /* more means that it is unknown */
#define FILE_OF(name) sysfs_line(text, sizeof(text), "%s/" name, function)

/* The folder of its PCI function, and the class that has a device of this name. NULL: there is none. */
static const char *find_function(const char *domain, char function[PATH_MAX])
{
	static const char *const classes[] = {"cxi", "infiniband", NET};
	char link[PATH_MAX];

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		snprintf(link, sizeof(link), "%s/class/%s/%s/device", sysfs_root(), classes[i], domain);
		if (realpath(link, function))
			return classes[i];
	}
	return NULL;
}

/* The first one of a function that has several. */
static void find_netdev(struct cxi_adapter *adapter, const char *class, const char *function)
{
	char path[PATH_MAX + sizeof(NET) + 1];
	const struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/" NET, function);
	folder = strcmp(class, NET) == 0 ? NULL : opendir(path);
	if (strcmp(class, NET) == 0)
		snprintf(adapter->netdev, sizeof(adapter->netdev), "%s", adapter->info.device);
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && (!adapter->netdev[0] || strcmp(entry->d_name, adapter->netdev) < 0))
			snprintf(adapter->netdev, sizeof(adapter->netdev), "%.63s", entry->d_name);
	if (folder)
		closedir(folder);
}

static void read_function(struct cxi_adapter *adapter, const char *function)
{
	struct report_info *info = &adapter->info;
	char text[64], path[PATH_MAX + 16], driver[PATH_MAX];
	unsigned long width;

	if (sysfs_is_pci_address(sysfs_name(function)))
		snprintf(adapter->address, sizeof(adapter->address), "%.15s", sysfs_name(function));
	snprintf(path, sizeof(path), "%s/driver", function);
	if (realpath(path, driver))
		snprintf(adapter->driver, sizeof(adapter->driver), "%.63s", sysfs_name(driver));
	if (*FILE_OF("numa_node"))
		info->numa_node = (int)strtol(text, NULL, 10);
	info->pcie_rate = strtod(FILE_OF("current_link_speed"), NULL);
	width = strtoul(FILE_OF("current_link_width"), NULL, 10);
	info->pcie_lanes = width <= MOST_LANES ? (unsigned)width : 0;
}

void cxi_adapter_find(struct cxi_adapter *adapter, const struct cxi_link *link, const struct buffer *buffer)
{
	const char *class;
	char text[64], function[PATH_MAX];

	*adapter = (struct cxi_adapter){.info = {.device = link->domain[0] ? link->domain : NULL,
						 .driver = adapter->driver,
						 .provider = adapter->library,
						 .pci_address = adapter->address,
						 .memory = buffer->ops->name,
						 .numa_node = -1}};
	host_library(adapter->library, sizeof(adapter->library), link->ops->soname);
	class = find_function(link->domain, function);
	if (!class)
		return;
	read_function(adapter, function);
	find_netdev(adapter, class, function);
	if (adapter->netdev[0])
		sysfs_line(text, sizeof(text), "%s/class/" NET "/%s/speed", sysfs_root(), adapter->netdev);
	else
		text[0] = '\0';
	adapter->info.link_gbits = strtod(text, NULL) / 1e3;
}
