/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The hardware of a device, from sysfs: the port's rate, the PCI function, its driver and link. Called by session for
 * the header, the JSON document and the limit of the payload, and by device.c and doctor for the NUMA node. What sysfs
 * does not show, as in some containers, is unknown.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/pcie.h"

#define HARDWARE_NUMA_PATH (PATH_MAX + 16)

enum hardware_kind {
	HARDWARE_UNKNOWN,
	HARDWARE_PCI,
	HARDWARE_NONE, /* no hardware: rxe, siw, the software device */
};

struct hardware {
	enum hardware_kind kind;
	double link_gbits; /* Gb/s, all lanes, as the rate is called; 0: unknown */
	double link_share; /* of it, what is left without the encoding of InfiniBand up to FDR, in whose names it is */
	bool vlan;	   /* the interface tags its packets (IEEE 802.1Q) */
	unsigned link_lanes;	/* 0 unknown */
	unsigned long vendor;	/* of the PCI function; 0 unknown */
	char driver[64];	/* "mlx5_core"; "" unknown */
	char address[16];	/* "0000:3b:00.0"; "" unknown */
	char physical[16];	/* of a virtual function that of its physical one, else the same */
	double pcie_rate;	/* current GT/s of a lane; 0: unknown */
	unsigned pcie_lanes;	/* current; 0: unknown */
	struct pcie_link least; /* pcie_least_link(); zeroed: unknown */
	unsigned pcie_payload;	/* bytes, MaxPayloadSize of the function; 0: unknown, as to users who are not root */
	bool relaxed_off;	/* Enable Relaxed Ordering is clear in the function's Device Control register */
};

/*
 * root: "/sys" or another host's; netdev: the interface of the port's GID, whose speed is exact, and of a bond that of
 * all members; "" none; is_software: a device of libperftest_soft.
 */
void hardware_find(struct hardware *hardware, const char *root, const char *device, unsigned port, const char *netdev,
		   bool is_software);

/*
 * Whatever the link is, MANA's driver says 100 Gb/s, and older ones of EFA; what vmw_pvrdma says, and its interface, is
 * what VMware made up. Of an Ethernet port whose interface has no
 * speed, as virtio's, on which eRDMA is, the kernel says 2.5; on InfiniBand that is one lane of SDR. vendor: of the PCI
 * function.
 */
bool hardware_rate_is_made_up(unsigned long vendor, bool infiniband, double gbits);
/*
 * In sysfs, of an Ethernet port: before Linux 6.6 the kernel's ib_get_eth_speed() called everything above 40 Gb/s 100,
 * for drivers whose adapters have more. The interface has its speed; older kernels may have the mend.
 */
bool hardware_rate_is_capped(unsigned long vendor, bool infiniband, double gbits);
/*
 * Is the same link the slowest of both? Functions of an adapter share its slot ("0000:3b:00.1" and "0000:3b:00.0"),
 * also virtual ones with a slot of their own, and adapters the port above a switch.
 */
bool hardware_shares_link(const struct hardware *one, const struct hardware *other);

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
