/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What libibverbs reports about a device, whatever its state. Unlike device_open() it prints nothing, and accepts a
 * port that is down. Called by the doctor.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
	double speed_gbits;  /* effective, see port_speed.h; 0: unknown */
};

/* Lists the names of libibverbs, and queries the device of that name and its port; NULL: only lists. */
void device_diag_open(struct device_diag *diag, const char *name, unsigned port);
