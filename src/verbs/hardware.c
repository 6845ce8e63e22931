// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See hardware.h. PCI Express: PCI Local Bus Specification 3.0, 6.7, and PCI Express Base Specification, 7.5.3. */
#include "verbs/hardware.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/sysfs.h"

#define CONFIG_BYTES	      256
#define STATUS		      0x06
#define STATUS_CAP_LIST	      0x10
#define FIRST_CAPABILITY      0x34
#define CAPABILITY_PCIE	      0x10
#define DEVICE_CONTROL	      8 /* in the capability */
#define CONTROL_RELAXED	      0x10
#define CONTROL_SETTINGS      0x70f0 /* relaxed ordering, sizes of payloads and reads: all 0 in a virtual function */
#define MAX_CAPABILITIES      48     /* all that can fit, which also terminates a circular list */
#define MAX_LANES	      64
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
	snprintf(path, sizeof(path), "%s/class/infiniband/%s/node_desc", root, device);
	return strcmp(sysfs_line(path, text, sizeof(text)), SIW_NODE_DESC) == 0;
}

/* The device's parent in sysfs. */
static bool find_parent(const char *root, const char *device, char path[PATH_MAX])
{
	char link[PATH_MAX];

	snprintf(link, sizeof(link), "%s/class/infiniband/%s/device", root, device);
	return realpath(link, path);
}

/* To the parent's parent, since some drivers insert a device of their own, which has few attributes. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return true;
}

/* The nearest ancestor that is a PCI function. */
static bool find_function(const char *root, const char *device, char path[PATH_MAX])
{
	if (!find_parent(root, device, path))
		return false;
	while (!sysfs_is_pci_address(sysfs_name(path)))
		if (!go_up(path))
			return false;
	return true;
}

/* "100 Gb/sec (4X EDR)" */
static void read_rate(struct hardware *hardware, const char *root, const char *device, unsigned port)
{
	char path[PATH_MAX], text[64];
	unsigned lanes;
	double gbits;

	snprintf(path, sizeof(path), "%s/class/infiniband/%s/ports/%u/rate", root, device, port);
	if (sscanf(sysfs_line(path, text, sizeof(text)), "%lf Gb/sec (%uX", &gbits, &lanes) != 2 || !(gbits > 0) ||
	    lanes > MAX_LANES)
		return;
	hardware->link_gbits = gbits;
	hardware->link_lanes = lanes;
}

/* False if this user cannot read the function's configuration beyond the first 64 bytes, which needs root. */
static bool relaxed_is_off(const char *function)
{
	uint8_t config[CONFIG_BYTES];
	char path[PATH_MAX + 16];
	size_t length, at;
	FILE *file;

	/*
	 * The bit of a virtual function is always 0; the physical function's applies. A virtual machine has no link to
	 * that one, but reads of 128 bytes, which these bits mean elsewhere, are no device's default.
	 */
	snprintf(path, sizeof(path), "%s/physfn", function);
	if (access(path, F_OK) == 0)
		return false;
	snprintf(path, sizeof(path), "%s/config", function);
	file = fopen(path, "re");
	if (!file)
		return false;
	length = fread(config, 1, sizeof(config), file);
	fclose(file);
	if (length < sizeof(config) || !(config[STATUS] & STATUS_CAP_LIST))
		return false;
	at = config[FIRST_CAPABILITY] & ~3U;
	for (int i = 0; i < MAX_CAPABILITIES && at && at + DEVICE_CONTROL + 1 < length; i++) {
		if (config[at] == CAPABILITY_PCIE) {
			const unsigned control = config[at + DEVICE_CONTROL] | (unsigned)config[at + DEVICE_CONTROL + 1]
										       << 8;

			return control & CONTROL_SETTINGS && !(control & CONTROL_RELAXED);
		}
		at = config[at + 1] & ~3U;
	}
	return false;
}

static void read_function(struct hardware *hardware, const char *function)
{
	char path[PATH_MAX + 32], target[PATH_MAX], text[64];
	unsigned long lanes;

	snprintf(hardware->address, sizeof(hardware->address), "%.15s", sysfs_name(function));
	snprintf(path, sizeof(path), "%s/driver", function);
	if (realpath(path, target))
		snprintf(hardware->driver, sizeof(hardware->driver), "%.63s", sysfs_name(target));
	snprintf(path, sizeof(path), "%s/current_link_speed", function);
	hardware->pcie_rate = strtod(sysfs_line(path, text, sizeof(text)), NULL);
	if (!(hardware->pcie_rate > 0 && hardware->pcie_rate < 1000))
		hardware->pcie_rate = 0;
	snprintf(path, sizeof(path), "%s/current_link_width", function);
	lanes = strtoul(sysfs_line(path, text, sizeof(text)), NULL, 10);
	hardware->pcie_lanes = lanes <= MAX_LANES ? (unsigned)lanes : 0;
	hardware->relaxed_off = relaxed_is_off(function);
}

void hardware_find(struct hardware *hardware, const char *root, const char *device, unsigned port, bool is_software)
{
	char path[PATH_MAX];

	*hardware = (struct hardware){.kind = is_software ? HARDWARE_NONE : HARDWARE_UNKNOWN};
	if (is_software)
		return;
	read_rate(hardware, root, device, port);
	if (is_program(root, device)) {
		hardware->kind = HARDWARE_NONE;
		return;
	}
	if (!find_function(root, device, path))
		return;
	hardware->kind = HARDWARE_PCI;
	read_function(hardware, path);
}

/* rxe has no parent in sysfs, but its interface may. */
static bool find_interface_parent(const char *root, const char *device, char path[PATH_MAX])
{
	char file[PATH_MAX], name[64];

	snprintf(file, sizeof(file), "%s/class/infiniband/%s/parent", root, device);
	if (!*sysfs_line(file, name, sizeof(name)))
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
	} while (go_up(folder));
	return false;
}

int hardware_numa_node(const char *root, const char *device)
{
	char path[HARDWARE_NUMA_PATH], text[32];
	int node;

	if (!hardware_numa_file(root, device, path) || sscanf(sysfs_line(path, text, sizeof(text)), "%d", &node) != 1 ||
	    node < 0)
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
