/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What hardware is behind a device? The port's rate, the PCI function, its driver and link, from sysfs. Called by
 * session for the header and the document, and of its NUMA node by device.c. What sysfs does not tell, as in some
 * containers, is unknown.
 */
#ifndef VERBS_HARDWARE_H
#define VERBS_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

enum hardware_kind {
	HARDWARE_UNKNOWN,
	HARDWARE_PCI,
	HARDWARE_NONE, /* the device is a program: rxe, siw, the software device */
};

struct hardware {
	enum hardware_kind kind;
	double link_gbits;   /* Gb/s of all lanes; 0 unknown */
	unsigned link_lanes; /* 0 unknown */
	char driver[64];     /* "mlx5_core"; "" unknown */
	char address[16];    /* "0000:3b:00.0"; "" unknown */
	double pcie_rate;    /* GT/s of a lane, as the link runs now; 0 unknown */
	unsigned pcie_lanes; /* as the link runs now; 0 unknown */
	bool relaxed_off;    /* Enable Relaxed Ordering is clear in the function's Device Control register */
};

/* root: "/sys" or another host's; is_software: a device of libperftest_soft. */
void hardware_find(struct hardware *hardware, const char *root, const char *device, unsigned port, bool is_software);

/* The NUMA node of the device, or of the nearest that it is behind; -1: none is known. */
int hardware_numa_node(const char *root, const char *device);

/*
 * What becomes of IBV_ACCESS_RELAXED_ORDERING when memory is registered with it: "ON"; "OFF": the function must not
 * use it; "Unsupported": there is no PCIe; "Unknown": a kernel before 5.6 has no optional access flags, so that
 * libibverbs drops it without a word, unless its RDMA stack is from a later one. Whether the device makes use of it,
 * is not told. release: of uname().
 */
const char *hardware_relaxed_ordering(const struct hardware *hardware, const char *release);

#endif
