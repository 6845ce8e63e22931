// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See netdev.h. */
#include "util/netdev.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/pcie.h"
#include "util/sysfs.h"

#define MOST_MEGABITS 100000000 /* more is no speed */
#define INTEL_82540EM 0x100e
#define INTEL_82574L  0x10d3

DIR *netdev_open(const char *root, const char *netdev)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/class/net/%s", root, netdev);
	return opendir(path);
}

const char *netdev_next_lower(DIR *folder)
{
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (strncmp(entry->d_name, NETDEV_LOWER, strlen(NETDEV_LOWER)) == 0)
			return entry->d_name + strlen(NETDEV_LOWER);
	return NULL;
}

static bool is_of_type(const char *root, const char *netdev, const char *type)
{
	char text[64];

	sysfs_line(text, sizeof(text), "%s/class/net/%s/uevent", root, netdev);
	return strncmp(text, "DEVTYPE=", 8) == 0 && strcmp(text + 8, type) == 0;
}

bool netdev_is_vlan(const char *root, const char *netdev)
{
	return is_of_type(root, netdev, "vlan");
}

double netdev_speed_gbits(const char *root, const char *netdev)
{
	char text[64];
	long megabits;

	megabits = strtol(sysfs_line(text, sizeof(text), "%s/class/net/%s/speed", root, netdev), NULL, 10);
	return megabits > 0 && megabits <= MOST_MEGABITS ? (double)megabits / 1000 : 0;
}

/*
 * Adapters that a hypervisor emulates have the speed of the one that they imitate, or 10 Gb/s (vmxnet3), and move what
 * its host can copy; Hyper-V's has that of a switch. virtio has a speed only if the host was told one.
 */
static bool is_emulated(const char *device)
{
	const unsigned long vendor = sysfs_id(device, "vendor"), part = sysfs_id(device, "device");
	const unsigned long maker = sysfs_id(device, "subsystem_vendor"), board = sysfs_id(device, "subsystem_device");

	if (vendor == PCI_VMWARE || maker == PCI_VMWARE || maker == PCI_QEMU)
		return true;
	if (vendor == PCI_MICROSOFT) /* on VMBus, or MANA */
		return !sysfs_is_pci_address(sysfs_name(device));
	/* VirtualBox's, with the subsystem of a card of 2002; QEMU's e1000e, which has no board, as have real X710. */
	return vendor == PCI_INTEL && (part == INTEL_82540EM || (part == INTEL_82574L && maker == PCI_INTEL && !board));
}

/* Others, as veth, have a speed that is made up; a VLAN and a bond have those of what is below. */
static bool has_adapter(const char *root, const char *netdev, unsigned layers)
{
	char path[PATH_MAX], device[PATH_MAX];
	const char *lower;
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/class/net/%s/device", root, netdev);
	if (realpath(path, device))
		return !is_emulated(device);
	if (!layers || (!netdev_is_vlan(root, netdev) && !is_of_type(root, netdev, "bond")))
		return false;
	folder = netdev_open(root, netdev);
	while (!found && (lower = netdev_next_lower(folder)))
		found = has_adapter(root, lower, layers - 1);
	if (folder)
		closedir(folder);
	return found;
}

double netdev_link_gbits(const char *root, const char *netdev)
{
	return has_adapter(root, netdev, NETDEV_LAYERS) ? netdev_speed_gbits(root, netdev) : 0;
}
