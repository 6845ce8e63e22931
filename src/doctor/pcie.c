// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the PCIe path from the device to memory as fast as the port? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/checks.h"
#include "util/pcie.h"
#include "util/sysfs.h"
#include "util/terminal.h"
#include "verbs/device/hardware.h"

/* Configuration space: PCI 3.0 section 6.7, PCI Express Base 5.0 sections 7.5.3 and 7.7. */
#define CONFIG_BYTES   4096
#define EXTENDED_BEGIN 0x100 /* only root can read from here on */
#define EXTENDED_MAX   960
#define EXTENDED_ACS   0x000d
#define DEVCAP	       4      /* in the PCI Express capability */
#define ACS_CONTROL    6      /* in its capability */
#define ACS_REDIRECTS  0x001c /* P2P request and completion redirect, upstream forwarding */

#define IN_VIRTUAL_MACHINE "in a virtual machine only the host knows: compare LnkSta with LnkCap in lspci -vv there"

struct config {
	uint8_t bytes[CONFIG_BYTES + 1];
	ssize_t length;
};

static unsigned word16(const struct config *config, unsigned at)
{
	return (ssize_t)at + 2 <= config->length ? config->bytes[at] | (unsigned)config->bytes[at + 1] << 8 : 0;
}

static unsigned word32(const struct config *config, unsigned at)
{
	return word16(config, at) | word16(config, at + 2) << 16;
}

static unsigned find_extended(const struct config *config, unsigned wanted)
{
	unsigned at = EXTENDED_BEGIN;

	for (int i = 0; i < EXTENDED_MAX && at >= EXTENDED_BEGIN && (ssize_t)at + 4 <= config->length; i++) {
		if ((word32(config, at) & 0xffff) == wanted)
			return at;
		at = word32(config, at) >> 20 & 0xffc;
	}
	return 0;
}

/* 0, or -errno with the tree's error; -EACCES if this user can read only the first 64 bytes. */
static int read_config(struct subject *subject, struct config *config, const char *folder)
{
	config->length = tree_bytes(&subject->tree, config->bytes, sizeof(config->bytes), "%s/config", folder);
	if (config->length < 0)
		return (int)config->length;
	if (config->length < 256) {
		snprintf(subject->tree.failure, sizeof(subject->tree.failure),
			 "this user can read only %.500s/config up to byte %zd; root can read more", folder,
			 config->length);
		return -EACCES;
	}
	return 0;
}

/* A virtual function has no link of its own: the physical function's applies. */
static void link_folder(struct subject *subject, char folder[TREE_PATH])
{
	if (tree_real(&subject->tree, folder, "%s/physfn", subject->pci))
		snprintf(folder, TREE_PATH, "%s", subject->pci);
}

struct slot_link {
	double speed; /* GT/s */
	int64_t width;
	char speed_text[64];
};

/* which: "current" or "max". 0, or -errno with the tree's error; -EBADMSG also for "Unknown speed". */
static int read_link(struct subject *subject, const char *folder, const char *which, struct slot_link *link)
{
	char path[TREE_PATH + 32], *unit;
	int ret;

	ret = tree_text(&subject->tree, link->speed_text, sizeof(link->speed_text), "%s/%s_link_speed", folder, which);
	if (!ret)
		ret = tree_number(&subject->tree, &link->width, "%s/%s_link_width", folder, which);
	if (ret)
		return ret;
	link->speed = strtod(link->speed_text, &unit);
	if (unit == link->speed_text || strncmp(unit, " GT/s", strlen(" GT/s")) != 0 || !(link->speed > 0) ||
	    link->speed > 1000) {
		snprintf(path, sizeof(path), "%s/%s_link_speed", folder, which);
		return tree_malformed(&subject->tree, path, link->speed_text, "which is no speed");
	}
	unit[strlen(" GT/s")] = '\0'; /* "8.0 GT/s PCIe" */
	if (link->width < 1 || link->width > 32) {
		char text[24];

		snprintf(path, sizeof(path), "%s/%s_link_width", folder, which);
		snprintf(text, sizeof(text), "%lld", (long long)link->width);
		return tree_malformed(&subject->tree, path, text, "which is no width");
	}
	return 0;
}

static double gigabits(const struct slot_link *link)
{
	return pcie_gbits(link->speed, (unsigned)link->width);
}

int check_pcie_link(struct subject *subject, struct finding *finding)
{
	struct slot_link now, most;
	char folder[TREE_PATH];

	link_folder(subject, folder);
	if (read_link(subject, folder, "current", &now) || read_link(subject, folder, "max", &most))
		return finding_unknown(finding, "%s\n" IN_VIRTUAL_MACHINE, subject->tree.failure);
	if (now.speed < most.speed || now.width < most.width)
		return finding_look(
			finding,
			"%s x%lld, %.0f Gb/s; the device can %s x%lld, %.0f Gb/s\nif the slot (%s) is as wide and fast "
			"as the card, reseat the card; check the BIOS, and LnkSta in lspci -vv",
			now.speed_text, (long long)now.width, gigabits(&now), most.speed_text, (long long)most.width,
			gigabits(&most), sysfs_name(folder));
	return finding_ok(finding, "%s x%lld, %.0f Gb/s, the maximum of the device", now.speed_text,
			  (long long)now.width, gigabits(&now));
}

/* The port's rate, or that of the NIC's interface, Gb/s; 0: unknown. */
static double port_rate(struct subject *subject)
{
	double port_gbits = subject->probe.diag.speed_gbits;
	const bool is_asked = port_gbits > 0;
	char rate[64] = "", text[16] = "", layer[32] = "";
	unsigned long vendor;
	int64_t megabits = 0;
	bool infiniband;

	if (subject->folder[0]) {
		tree_text(&subject->tree, text, sizeof(text), "%s/../../device/vendor", subject->folder);
		tree_text(&subject->tree, layer, sizeof(layer), "%s/link_layer", subject->folder);
		if (!is_asked && !tree_text(&subject->tree, rate, sizeof(rate), "%s/rate", subject->folder))
			port_gbits = strtod(rate, NULL);
	}
	vendor = strtoul(text, NULL, 16);
	infiniband = strcmp(layer, "InfiniBand") == 0;
	if (port_gbits > 0 && !hardware_rate_is_made_up(vendor, infiniband, port_gbits) &&
	    (is_asked || !hardware_rate_is_capped(vendor, infiniband, port_gbits)))
		return port_gbits;
	if (subject->netdev[0] && vendor != PCI_VMWARE)
		tree_number(&subject->tree, &megabits, "/sys/class/net/%s/speed", subject->netdev);
	return megabits > 0 ? (double)megabits / 1000 : 0;
}

/* All links from the device up to the root: the slowest one limits the path. */
int check_pcie_path(struct subject *subject, struct finding *finding)
{
	const double rate = port_rate(subject);
	char folder[TREE_PATH], path[2 * TREE_PATH];
	struct pcie_link least;
	struct slot_link link;
	double gbits;

	link_folder(subject, folder);
	snprintf(path, sizeof(path), "%s%s", subject->tree.root, folder);
	if (!pcie_least_link(path, &least)) {
		read_link(subject, folder, "current", &link); /* for the reason */
		return finding_unknown(finding, "%s\n" IN_VIRTUAL_MACHINE, subject->tree.failure);
	}
	gbits = pcie_gbits(least.rate, least.lanes);
	if (rate <= 0)
		return finding_unknown(finding, "%.0f Gb/s at %s; the rate of the port is unknown", gbits, least.at);
	if (gbits < rate)
		return finding_look(finding,
				    "%.1f GT/s x%u at %s carries %.0f Gb/s, less than the port's %.4g\nno test can be "
				    "faster than that: use another slot, or do not expect the port's rate",
				    least.rate, least.lanes, least.at, gbits, rate);
	return finding_ok(finding, "%.0f Gb/s at the slowest link (%s), the port has %.4g", gbits, least.at, rate);
}

/*
 * Reads the device's control word; 0 if it is not readable, with the reason in the finding. Of a virtual function the
 * physical one's applies, which a virtual machine cannot see.
 */
static unsigned device_control(struct subject *subject, struct finding *finding, unsigned *capable)
{
	char folder[TREE_PATH];
	struct config config;
	unsigned at;

	link_folder(subject, folder);
	if (read_config(subject, &config, folder)) {
		finding_unknown(finding, "%s", subject->tree.failure);
		return 0;
	}
	at = pcie_capability(config.bytes, (size_t)config.length, PCIE_CAPABILITY);
	if (!at || (ssize_t)at + PCIE_DEVICE_CONTROL + 2 > config.length) {
		finding_unknown(finding, "%s/config shows no PCI Express capability", folder);
		return 0;
	}
	if (!(word16(&config, at + PCIE_DEVICE_CONTROL) & PCIE_SETTINGS)) {
		finding_unknown(finding,
				"%s has none of these settings, as a virtual function of a virtual machine\nonly the "
				"host knows: see DevCtl of the physical function in lspci -vv there",
				sysfs_name(folder));
		return 0;
	}
	*capable = word32(&config, at + DEVCAP);
	/* A bit above the 16 bits marks success: the word may be zero. */
	return word16(&config, at + PCIE_DEVICE_CONTROL) | 1U << 16;
}

int check_pcie_requests(struct subject *subject, struct finding *finding)
{
	unsigned capable = 0, control, payload, request, best;

	control = device_control(subject, finding, &capable);
	if (!control)
		return 0;
	payload = 128U << (control >> 5 & 7);
	request = 128U << (control >> 12 & 7);
	best = 128U << (capable & 7);
	if (request < 512)
		return finding_look(finding,
				    "reads of %u bytes, payload of %u of %u\nsmall reads slow down a fast device: "
				    "change it in the BIOS or with setpci (MaxReadReq 4096 is usual)",
				    request, payload, best);
	if (payload < 256 && best >= 256)
		return finding_look(finding,
				    "reads of %u bytes, payload of %u of %u\na bridge above may not allow more; "
				    "otherwise boot with pci=pcie_bus_perf",
				    request, payload, best);
	return finding_ok(finding, "reads of %u bytes, payload of %u of %u", request, payload, best);
}

int check_relaxed_ordering(struct subject *subject, struct finding *finding)
{
	unsigned capable, control;

	control = device_control(subject, finding, &capable);
	if (!control)
		return 0;
	if (control & PCIE_RELAXED)
		return finding_ok(finding, "allowed: writes may overtake each other on their way to memory");
	return finding_look(
		finding, "off: every write to memory waits for the previous one\nmatters above 100 Gb/s, on AMD, and "
			 "with several NUMA nodes: change it in the BIOS or with setpci (Device Control, bit 4)");
}

/* Access control (ACS) redirects peer-to-peer writes through the root complex. */
int check_acs(struct subject *subject, struct finding *finding)
{
	const bool gpu =
		tree_exists(&subject->tree, "/sys/module/nvidia") || tree_exists(&subject->tree, "/sys/module/amdgpu");
	char folder[TREE_PATH], bridges[512] = "", *slash;
	struct config config;
	unsigned seen = 0, at;

	snprintf(folder, sizeof(folder), "%s", subject->pci);
	while ((slash = strrchr(folder, '/'))) {
		*slash = '\0';
		if (!tree_exists(&subject->tree, "%s/config", folder))
			break;
		if (read_config(subject, &config, folder) || config.length <= EXTENDED_BEGIN)
			continue;
		seen++;
		at = find_extended(&config, EXTENDED_ACS);
		if (at && word16(&config, at + ACS_CONTROL) & ACS_REDIRECTS)
			text_list_add(bridges, sizeof(bridges), sysfs_name(folder));
	}
	if (bridges[0] && gpu)
		return finding_look(
			finding,
			"on at %s: data between device and GPU passes through the root complex\noutside of virtual "
			"machines it can be turned off: with setpci on those bridges, or in the BIOS",
			bridges);
	if (bridges[0])
		return finding_ok(finding, "on at %s; slows down GPU memory only", bridges);
	if (seen)
		return finding_ok(finding, "off on the path to the root complex");
	return finding_unknown(finding, "this user cannot read the configuration of any bridge above %s",
			       sysfs_name(subject->pci));
}

int check_iommu(struct subject *subject, struct finding *finding)
{
	char type[64], line[1024], asked[256] = "", *word, *rest;

	if (!tree_text(&subject->tree, line, sizeof(line), "/proc/cmdline")) {
		for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
			if (strstr(word, "iommu"))
				text_add(asked, sizeof(asked), "%s%s",
					 asked[0] ? " " : "; kernel command line: ", word);
	}
	if (!tree_exists(&subject->tree, "%s/iommu_group", subject->pci))
		return finding_ok(finding, "off: no group%s", asked);
	if (tree_text(&subject->tree, type, sizeof(type), "%s/iommu_group/type", subject->pci))
		return UNREAD;
	if (strcmp(type, "identity") == 0)
		return finding_ok(finding, "passes addresses through%s", asked);
	if (strncmp(type, "DMA", 3) == 0)
		return finding_look(finding,
				    "translates each address (%s)%s\ncosts time at high message rates and with large "
				    "buffers: boot with iommu=pt",
				    type, asked);
	return finding_ok(finding, "%s%s", type, asked);
}
