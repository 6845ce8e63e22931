// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See hardware.h. */
#include "verbs/device/hardware.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/netdev.h"
#include "util/pcie.h"
#include "util/sysfs.h"
#include "verbs/device/adapter.h"

#define MAX_LANES	      64
#define NO_SPEED_GBITS	      2.5 /* "1X SDR": ib_get_eth_speed() of the kernel */
#define SIW_NODE_DESC	      "Software iWARP stack"
#define OPTIONAL_ACCESS_MAJOR 5 /* Linux 5.6: optional access flags */
#define OPTIONAL_ACCESS_MINOR 6

/*
 * rxe has its interface as parent; siw has only itself, and on some kernels is below the PCI function of its interface.
 */
static bool is_program(const char *root, const char *device)
{
	char path[PATH_MAX], text[64];

	snprintf(path, sizeof(path), "%s/class/infiniband/%s/parent", root, device);
	if (access(path, F_OK) == 0)
		return true;
	sysfs_line(text, sizeof(text), "%s/class/infiniband/%s/node_desc", root, device);
	return strcmp(text, SIW_NODE_DESC) == 0;
}

/* The device's parent in sysfs. */
static bool find_parent(const char *root, const char *device, char path[PATH_MAX])
{
	char link[PATH_MAX];

	snprintf(link, sizeof(link), "%s/class/infiniband/%s/device", root, device);
	return realpath(link, path);
}

/* The nearest ancestor that is a PCI function. */
static bool find_function(const char *root, const char *device, char path[PATH_MAX])
{
	if (!find_parent(root, device, path))
		return false;
	while (!sysfs_is_pci_address(sysfs_name(path)))
		if (!sysfs_go_up(path))
			return false;
	return true;
}

/*
 * What InfiniBand's encoding leaves of a rate: 8b/10b, and 64b/66b of FDR's 14.0625 GBaud, which is called 14. From
 * EDR on (and FDR10) a rate is called by what is left.
 */
static double data_share(const char *speed)
{
	if (strcmp(speed, "SDR") == 0 || strcmp(speed, "DDR") == 0 || strcmp(speed, "QDR") == 0)
		return 0.8;
	return strcmp(speed, "FDR") == 0 ? 14.0625 * 64 / 66 / 14 : 1;
}

bool hardware_rate_is_made_up(unsigned long vendor, bool infiniband, double gbits)
{
	return !infiniband && (gbits == NO_SPEED_GBITS || vendor == PCI_VMWARE ||
			       (gbits == 100 && (vendor == PCI_AMAZON || vendor == PCI_MICROSOFT)));
}

bool hardware_rate_is_capped(unsigned long vendor, bool infiniband, double gbits)
{
	return !infiniband && gbits == 100 && (vendor == PCI_BROADCOM || vendor == PCI_HUAWEI || vendor == PCI_INTEL);
}

/* "100 Gb/sec (4X EDR)" */
static void read_rate(struct hardware *hardware, const char *root, const char *device, unsigned port)
{
	const unsigned long vendor = hardware->vendor;
	char text[64], speed[16] = "";
	unsigned lanes;
	bool infiniband;
	double gbits;

	sysfs_line(text, sizeof(text), "%s/class/infiniband/%s/ports/%u/link_layer", root, device, port);
	infiniband = strcmp(text, "InfiniBand") == 0;
	sysfs_line(text, sizeof(text), "%s/class/infiniband/%s/ports/%u/rate", root, device, port);
	if (sscanf(text, "%lf Gb/sec (%uX %15[A-Z0-9]", &gbits, &lanes, speed) < 2 || !(gbits > 0) || lanes > MAX_LANES)
		return;
	if (hardware_rate_is_made_up(vendor, infiniband, gbits) || hardware_rate_is_capped(vendor, infiniband, gbits))
		return;
	hardware->link_gbits = gbits;
	hardware->link_lanes = lanes;
	if (infiniband)
		hardware->link_share = data_share(speed);
}

/* Ethernet rates have names of InfiniBand above, and are rounded. */
static void read_netdev(struct hardware *hardware, const char *root, const char *netdev)
{
	const double gbits = netdev_speed_gbits(root, netdev);

	if (gbits > 0 && hardware->vendor != PCI_VMWARE)
		hardware->link_gbits = gbits;
	hardware->vlan = netdev_is_vlan(root, netdev);
}

/* The link of a virtual function, and the settings of its packets, are those of the physical one. */
static void read_function(struct hardware *hardware, const char *function)
{
	char path[PATH_MAX + 32], target[PATH_MAX], physical[PATH_MAX];
	const bool is_virtual = pcie_physical(function, physical);
	unsigned control;

	snprintf(hardware->address, sizeof(hardware->address), "%.15s", sysfs_name(function));
	snprintf(path, sizeof(path), "%s/driver", function);
	if (realpath(path, target))
		snprintf(hardware->driver, sizeof(hardware->driver), "%.63s", sysfs_name(target));
	snprintf(hardware->physical, sizeof(hardware->physical), "%.15s", sysfs_name(physical));
	pcie_read_link(physical, &hardware->pcie_rate, &hardware->pcie_lanes);
	pcie_least_link(physical, &hardware->least);
	control = pcie_device_control(physical);
	hardware->pcie_payload = pcie_payload(control);
	/*
	 * A virtual machine has no link to the physical function, but reads of 128 bytes, which these bits mean
	 * elsewhere, are no device's default.
	 */
	hardware->relaxed_off = !is_virtual && control && !(control & PCIE_RELAXED);
}

void hardware_find(struct hardware *hardware, const char *root, const char *device, unsigned port, const char *netdev,
		   bool is_software)
{
	char path[PATH_MAX];

	*hardware = (struct hardware){.kind = is_software ? HARDWARE_NONE : HARDWARE_UNKNOWN, .link_share = 1};
	if (is_software)
		return;
	snprintf(path, sizeof(path), "%s/class/infiniband/%s/device", root, device);
	hardware->vendor = sysfs_id(path, "vendor");
	read_rate(hardware, root, device, port);
	if (netdev[0])
		read_netdev(hardware, root, netdev);
	if (is_program(root, device)) {
		hardware->kind = HARDWARE_NONE;
		return;
	}
	if (!find_function(root, device, path))
		return;
	hardware->kind = HARDWARE_PCI;
	read_function(hardware, path);
}

bool hardware_shares_link(const struct hardware *one, const struct hardware *other)
{
	return !strncmp(one->physical, other->physical, strcspn(one->physical, ".") + 1) ||
	       (one->least.lanes && !strcmp(one->least.top, other->least.top));
}

/* rxe has no parent in sysfs, but its interface may. */
static bool find_interface_parent(const char *root, const char *device, char path[PATH_MAX])
{
	char file[PATH_MAX], name[64];

	if (!*sysfs_line(name, sizeof(name), "%s/class/infiniband/%s/parent", root, device))
		return false;
	snprintf(file, sizeof(file), "%s/class/net/%s/device", root, name);
	return realpath(file, path);
}

bool hardware_numa_file(const char *root, const char *device, char path[HARDWARE_NUMA_PATH])
{
	char folder[PATH_MAX];

	if (!find_parent(root, device, folder) && !find_interface_parent(root, device, folder))
		return false;
	do {
		snprintf(path, HARDWARE_NUMA_PATH, "%s/numa_node", folder);
		if (access(path, F_OK) == 0)
			return true;
	} while (sysfs_go_up(folder));
	return false;
}

int hardware_numa_node(const char *root, const char *device)
{
	char path[HARDWARE_NUMA_PATH], text[32];
	int node;

	if (!hardware_numa_file(root, device, path) ||
	    sscanf(sysfs_line(text, sizeof(text), "%s", path), "%d", &node) != 1 || node < 0)
		return -1;
	return node;
}

const char *hardware_relaxed_ordering(const struct hardware *hardware, const char *release)
{
	unsigned major = 0, minor = 0;

	if (hardware->kind == HARDWARE_NONE)
		return "Unsupported";
	if (hardware->relaxed_off)
		return "OFF";
	if (sscanf(release, "%u.%u", &major, &minor) != 2 || major < OPTIONAL_ACCESS_MAJOR ||
	    (major == OPTIONAL_ACCESS_MAJOR && minor < OPTIONAL_ACCESS_MINOR))
		return "Unknown";
	return "ON";
}
