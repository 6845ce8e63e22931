/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What libibverbs reports about a device, whatever its state. Unlike device_open() it prints nothing, and accepts a
 * port that is down. Called by the doctor.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ibv_context;

#define DIAG_NAME    64
#define DIAG_DEVICES 64 /* whose names are kept */

struct device_diag {
	unsigned num_devices;
	char devices[DIAG_DEVICES][DIAG_NAME]; /* in the order of libibverbs */
	bool listed;			       /* the requested device is among them */
	int error;			       /* -errno of the first call that failed; 0: none */
	bool opened;
	bool is_software;
	unsigned num_ports;  /* 0: not queried */
	bool port_known;     /* the port was queried; the members below are valid */
	uint32_t active_mtu; /* bytes */
	uint32_t max_mtu;    /* bytes */
	double speed_gbits;  /* effective: port_speed_gbits(); 0: unknown */
};

/*
 * The effective speed of a port by ibv_query_port_speed() (rdma-core 62): that of a bond is the sum of its active
 * members, and that of a degraded link what is left of it, where the rate in sysfs is the nominal one of a member.
 * Gb/s; 0: unknown, as with older versions of libibverbs or of the kernel.
 */
double port_speed_gbits(struct ibv_context *context, unsigned port);

/* Lists the names of libibverbs, and queries the device of that name and its port; NULL: only lists. */
void device_diag_open(struct device_diag *diag, const char *name, unsigned port);

/* --- why libibverbs does not list or cannot open a device that the kernel has, from sysfs and the device files --- */

/*
 * False if the kernel has no RDMA device of this name ("": of any name). Otherwise text says why programs cannot use
 * it, and what to do. sysfs, dev: "/sys", "/dev".
 */
bool device_probe_explain(const char *sysfs, const char *dev, const char *name, char *text, size_t size);
/* The same for this host, or the one whose sysfs is at PERFTEST_SYSFS. */
bool device_probe_explain_here(const char *name, char *text, size_t size);
