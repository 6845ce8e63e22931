// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See pcie.h. PCI Local Bus Specification 3.0, 6.7, and PCI Express Base Specification, 7.5.3. */
#include "util/pcie.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/sysfs.h"

#define CONFIG_BYTES	      256
#define STATUS		      0x06
#define STATUS_CAP_LIST	      0x10
#define FIRST_CAPABILITY      0x34
#define CONTROL_PAYLOAD_SHIFT 5
#define MOST_PAYLOAD	      5	 /* 4096 bytes; more is reserved */
#define MAX_CAPABILITIES      48 /* all that can fit, which also terminates a circular list */
#define MAX_LANES	      64

unsigned pcie_capability(const uint8_t *config, size_t length, unsigned wanted)
{
	unsigned at = length < CONFIG_BYTES || !(config[STATUS] & STATUS_CAP_LIST) ? 0 : config[FIRST_CAPABILITY] & ~3U;

	for (int i = 0; i < MAX_CAPABILITIES && at >= 0x40; i++) {
		if (config[at] == wanted)
			return at;
		at = config[at + 1] & ~3U;
	}
	return 0;
}

unsigned pcie_device_control(const char *function)
{
	uint8_t config[CONFIG_BYTES];
	char path[PATH_MAX + 16];
	unsigned at, control;
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "%s/config", function);
	file = fopen(path, "re");
	if (!file)
		return 0;
	length = fread(config, 1, sizeof(config), file);
	fclose(file);
	at = pcie_capability(config, length, PCIE_CAPABILITY) + PCIE_DEVICE_CONTROL;
	if (at == PCIE_DEVICE_CONTROL || at + 1 >= length)
		return 0;
	control = config[at] | (unsigned)config[at + 1] << 8;
	return control & PCIE_SETTINGS ? control : 0;
}

unsigned pcie_payload(unsigned control)
{
	const unsigned payload = control >> CONTROL_PAYLOAD_SHIFT & 7;

	return control && payload <= MOST_PAYLOAD ? 128U << payload : 0;
}

/* A bridge of a virtual machine, whose link does not exist. */
static bool is_made_up(unsigned long vendor, unsigned long part)
{
	/* TI's XIO3130 has one lane of PCIe 1.0: QEMU's switch, as its root port can be Intel's 3420. */
	return vendor == PCI_RED_HAT || vendor == PCI_VMWARE || (vendor == PCI_TI && (part & ~1UL) == 0x8232) ||
	       (vendor == PCI_INTEL && part == 0x3420);
}

double pcie_gbits(double rate, unsigned lanes)
{
	/* A flit of 256 bytes has 236 of packets, 6 of the data link layer, 8 of CRC and 6 of error correction. */
	const double share = rate <= 5 ? 0.8 : rate < 64 ? 128.0 / 130 : 236.0 / 256;

	return rate * share * lanes;
}

bool pcie_physical(const char *function, char physical[PATH_MAX])
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/physfn", function);
	if (realpath(path, physical))
		return true;
	snprintf(physical, PATH_MAX, "%s", function);
	return false;
}

void pcie_read_link(const char *function, double *rate, unsigned *lanes)
{
	char text[64];
	unsigned long width;

	*rate = strtod(sysfs_line(text, sizeof(text), "%s/current_link_speed", function), NULL);
	if (!(*rate > 0 && *rate < 1000))
		*rate = 0;
	width = strtoul(sysfs_line(text, sizeof(text), "%s/current_link_width", function), NULL, 10);
	*lanes = width <= MAX_LANES ? (unsigned)width : 0;
}

/*
 * If a bridge does not report its link, the other end may. A function that does not know its own is one of a virtual
 * machine, and so is the bridge above it, which has none either, whatever it reports; and so is a bridge that reports
 * another link than the function below it.
 */
bool pcie_least_link(const char *function, struct pcie_link *least)
{
	char path[PATH_MAX];
	unsigned lanes, own_lanes = 0, bridges = 0;
	double rate, own_rate = 0;

	*least = (struct pcie_link){0};
	snprintf(path, sizeof(path), "%s", function);
	do {
		pcie_read_link(path, &rate, &lanes);
		if (!bridges && (!(rate > 0) || !lanes))
			return false;
		if (!(rate > 0) || !lanes || is_made_up(sysfs_id(path, "vendor"), sysfs_id(path, "device")))
			continue;
		if (!bridges) {
			own_rate = rate;
			own_lanes = lanes;
		}
		if (bridges == 1 && own_lanes && (rate != own_rate || lanes != own_lanes))
			break;
		if (!least->lanes || pcie_gbits(rate, lanes) < pcie_gbits(least->rate, least->lanes)) {
			*least = (struct pcie_link){rate, lanes, "", ""};
			snprintf(least->at, sizeof(least->at), "%.15s", sysfs_name(path));
		}
		if (pcie_gbits(rate, lanes) <= pcie_gbits(least->rate, least->lanes))
			snprintf(least->top, sizeof(least->top), "%.15s", sysfs_name(path));
	} while (bridges++, sysfs_go_up(path) && sysfs_is_pci_address(sysfs_name(path)));
	return least->lanes;
}
