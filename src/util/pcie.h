/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * PCI Express as sysfs shows it: the link of a function, that on its way to the root complex which is the slowest, and
 * the settings of its packets. Called for RDMA devices (verbs/device/hardware.c), by doctor, and for what qperf and
 * cxi_send_bw use (report/payload_share.c). A function is the folder that sysfs has for it.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Vendors. */
#define PCI_AMAZON    0x1d0f
#define PCI_BROADCOM  0x14e4
#define PCI_HUAWEI    0x19e5
#define PCI_INTEL     0x8086
#define PCI_MICROSOFT 0x1414
#define PCI_QEMU      0x1af4 /* subsystem of what it emulates, and virtio */
#define PCI_RED_HAT   0x1b36
#define PCI_TI	      0x104c
#define PCI_VMWARE    0x15ad

/* A link, and the end of it that reports it: "0000:3b:00.0". */
struct pcie_link {
	double rate; /* GT/s of a lane */
	unsigned lanes;
	char at[16];
	char top[16]; /* of several as slow on the way to the root, the uppermost: all adapters below share it */
};

/* Gb/s of that many lanes, without the encoding: 8b/10b, 128b/130b, and from 64 GT/s on what of flits is no packet. */
double pcie_gbits(double rate, unsigned lanes);
/* Is it a virtual function? physical: the physical one, which has the link; otherwise the function itself. */
bool pcie_physical(const char *function, char physical[PATH_MAX]);
/* The current one; both 0 if the function has no link of its own, or does not know it. */
void pcie_read_link(const char *function, double *rate, unsigned *lanes);
/*
 * The slowest link from a function up to the root complex. False: its own is not known, as in a virtual machine; then
 * it is zeroed.
 */
bool pcie_least_link(const char *function, struct pcie_link *least);

/* Where a capability is in the configuration of a function; 0: it has none, or too few bytes could be read. */
unsigned pcie_capability(const uint8_t *config, size_t length, unsigned wanted);
#define PCIE_CAPABILITY	    0x10 /* such a capability; in it: */
#define PCIE_DEVICE_CONTROL 8
#define PCIE_RELAXED	    0x10   /* of that */
#define PCIE_SETTINGS	    0x70f0 /* relaxed ordering, sizes of payloads and reads: all 0 in a virtual function */
/*
 * The Device Control register; 0 if this user cannot read the function's configuration beyond the first 64 bytes, which
 * needs root, or if it has no settings.
 */
unsigned pcie_device_control(const char *function);
/* MaxPayloadSize in that, bytes; 0: unknown. */
unsigned pcie_payload(unsigned control);
