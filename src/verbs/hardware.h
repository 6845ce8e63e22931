/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The hardware of a device, from sysfs: the port's rate, the PCI function, its driver and link. Called by session for
 * the header and the JSON document, and by device.c and doctor for the NUMA node. What sysfs does not show, as in some
 * containers, is unknown.
 */
#ifndef VERBS_HARDWARE_H
#define VERBS_HARDWARE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define HARDWARE_NUMA_PATH (PATH_MAX + 16)

enum hardware_kind {
	HARDWARE_UNKNOWN,
	HARDWARE_PCI,
	HARDWARE_NONE, /* no hardware: rxe, siw, the software device */
};

struct hardware {
	enum hardware_kind kind;
	double link_gbits;   /* Gb/s, all lanes; 0: unknown */
	unsigned link_lanes; /* 0 unknown */
	char driver[64];     /* "mlx5_core"; "" unknown */
	char address[16];    /* "0000:3b:00.0"; "" unknown */
	double pcie_rate;    /* current GT/s of a lane; 0: unknown */
	unsigned pcie_lanes; /* current; 0: unknown */
	bool relaxed_off;    /* Enable Relaxed Ordering is clear in the function's Device Control register */
};

/* root: "/sys" or another host's; is_software: a device of libperftest_soft. */
void hardware_find(struct hardware *hardware, const char *root, const char *device, unsigned port, bool is_software);

/*
 * The file that holds the NUMA node of the device (of rxe: of its interface), or of the nearest parent that has one.
 * False: there is none.
 */
bool hardware_numa_file(const char *root, const char *device, char path[HARDWARE_NUMA_PATH]);
/* What it holds; -1: unknown. */
int hardware_numa_node(const char *root, const char *device);

/*
 * The effect of IBV_ACCESS_RELAXED_ORDERING on registration: "ON"; "OFF": the function is not allowed to use it;
 * "Unsupported": no PCIe; "Unknown": kernels before 5.6 have no optional access flags, so that libibverbs silently
 * drops the flag, unless the RDMA stack is newer than the kernel. Whether the device actually uses it cannot be
 * queried. release: of uname().
 */
const char *hardware_relaxed_ordering(const struct hardware *hardware, const char *release);

#endif
