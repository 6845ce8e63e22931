/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does libibverbs see of a device, whatever state it is in? Unlike device_open() it reports nothing
 * and takes a port that is down for an answer. Called by the doctor.
 */
#ifndef VERBS_DEVICE_DIAG_H
#define VERBS_DEVICE_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#define DIAG_NAME    64
#define DIAG_DEVICES 64 /* remembered by name */

struct device_diag {
	unsigned num_devices;
	char devices[DIAG_DEVICES][DIAG_NAME]; /* in the order of libibverbs */
	bool listed;			       /* the wanted one is among them */
	int error;			       /* -errno of what failed first, opening or asking; 0 */
	bool opened;
	bool is_software;
	unsigned num_ports;  /* 0: not asked */
	bool port_known;     /* what follows was told by the port */
	uint32_t active_mtu; /* bytes */
	uint32_t max_mtu;    /* bytes */
};

/* The names that libibverbs lists, and no more. */
void device_diag_list(struct device_diag *diag);
/* The list, and what the device and its port say. */
void device_diag_open(struct device_diag *diag, const char *name, unsigned port);

#endif
