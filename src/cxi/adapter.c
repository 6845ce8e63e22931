// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See adapter.h. */
#include "cxi/adapter.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/payload_share.h"
#include "util/library.h"
#include "util/log.h"
#include "util/netdev.h"
#include "util/pcie.h"
#include "util/sysfs.h"

#define NET "net"

/* The folder of its PCI function. False: there is none. */
static bool find_function(const char *domain, char function[PATH_MAX])
{
	static const char *const classes[] = {"cxi", "infiniband", NET};
	char link[PATH_MAX];

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		snprintf(link, sizeof(link), "%s/class/%s/%s/device", sysfs_root(), classes[i], domain);
		if (realpath(link, function))
			return true;
	}
	return false;
}

/* The domain itself, or the first one of the function. */
static void find_netdev(struct cxi_adapter *adapter, const char *domain)
{
	char path[PATH_MAX + sizeof(NET) + 1];
	const struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/class/" NET "/%s", sysfs_root(), domain);
	if (!access(path, F_OK)) {
		snprintf(adapter->netdev, sizeof(adapter->netdev), "%s", domain);
		return;
	}
	if (!adapter->function[0])
		return;
	snprintf(path, sizeof(path), "%s/" NET, adapter->function);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && (!adapter->netdev[0] || strcmp(entry->d_name, adapter->netdev) < 0))
			snprintf(adapter->netdev, sizeof(adapter->netdev), "%.63s", entry->d_name);
	if (folder)
		closedir(folder);
}

static void read_function(struct cxi_adapter *adapter)
{
	const char *function = adapter->function;
	struct device_identity *identity = &adapter->identity;
	char text[64], path[PATH_MAX + 16], driver[PATH_MAX];

	if (sysfs_is_pci_address(sysfs_name(function)))
		snprintf(identity->pci_address, sizeof(identity->pci_address), "%.15s", sysfs_name(function));
	snprintf(path, sizeof(path), "%s/driver", function);
	if (realpath(path, driver))
		snprintf(identity->driver, sizeof(identity->driver), "%.63s", sysfs_name(driver));
	if (*sysfs_line(text, sizeof(text), "%s/numa_node", function))
		identity->numa_node = (int)strtol(text, NULL, 10);
	pcie_read_link(function, &identity->pcie_rate, &identity->pcie_lanes);
}

void cxi_adapter_find(struct cxi_adapter *adapter, const struct cxi_link *link, const char *memory)
{
	struct device_identity *identity = &adapter->identity;

	*adapter = (struct cxi_adapter){.identity = {.memory = memory, .numa_node = -1}};
	snprintf(identity->name, sizeof(identity->name), "%s", link->domain);
	library_file(identity->provider, sizeof(identity->provider), link->ops->soname);
	if (!link->domain[0])
		return;
	if (find_function(link->domain, adapter->function))
		read_function(adapter);
	else
		adapter->function[0] = '\0';
	find_netdev(adapter, link->domain);
	if (adapter->netdev[0])
		identity->link_gbits = netdev_speed_gbits(sysfs_root(), adapter->netdev);
}

int cxi_adapter_counters(const struct cxi_adapter *adapter, const char *names, struct counters *counters)
{
	const char *root = sysfs_root(), *domain = adapter->identity.name;
	char folder[PATH_MAX / 2];
	int ret;

	snprintf(folder, sizeof(folder), "%s/class/infiniband/%s/ports/1", root, domain);
	if (access(folder, F_OK))
		snprintf(folder, sizeof(folder), "%s/class/cxi/%s/device", root, domain);
	if (adapter->netdev[0] && access(folder, F_OK))
		snprintf(folder, sizeof(folder), "%s/class/" NET "/%s", root, adapter->netdev);
	ret = counters_open_in(counters, names, root, folder, adapter->netdev);
	if (!ret && !counters->count)
		log_warning("%s has no counters for --report-counters (-W)", domain[0] ? domain : "this provider");
	return ret;
}

bool cxi_link_is_socket(const struct cxi_link *link)
{
	return strncmp(link->provider, "tcp", 3) == 0 || strncmp(link->provider, "sockets", 7) == 0;
}

void cxi_payload_path(struct payload_path *path, const struct cxi_adapter *adapter, const struct cxi_link *link,
		      bool on_one_host)
{
	*path = (struct payload_path){
		.verb = VERB_SEND,
		.num_links = 1,
		.wire = WIRE_NOT_COUNTED,
		.copies = strncmp(link->provider, "shm", 3) == 0 || (on_one_host && cxi_link_is_socket(link)),
	};
	if (path->copies)
		return;
	path->link_gbits = netdev_link_gbits(sysfs_root(), adapter->netdev);
	payload_path_take_pcie(path, adapter->function);
}
