/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who is examined: a host, the device and port on it, and what no file tells of them. */
#ifndef DOCTOR_SUBJECT_H
#define DOCTOR_SUBJECT_H

#include <stdbool.h>

#include "doctor/nic.h"
#include "doctor/tree.h"
#include "params/perftest_parameters.h"
#include "util/cpulist.h"
#include "verbs/device_diag.h"

/* What is asked of libraries and of the kernel by call; the unit tests write it down instead. */
struct probe {
	struct device_diag diag;
	struct nic nic;
	const char *clock_source; /* stats/clock.h */
	double clock_hz;
	double clock_error;    /* relative */
	bool clock_fallback;   /* no counter that can be trusted */
	int memfd_error;       /* -errno of making one; 0 */
	char runtime_dir[256]; /* what the environment says, or a login would have */
	bool runtime_dir_is_ours;
};

enum subject_kind { SUBJECT_NONE, SUBJECT_DEVICE, SUBJECT_SOFTWARE };

struct subject {
	struct tree tree;
	const struct params *params;
	struct probe probe;
	enum subject_kind kind; /* NONE: there is no device */
	char device[TREE_NAME]; /* "" none */
	unsigned port;
	char folder[TREE_PATH]; /* of the port in sysfs */
	char netdev[TREE_NAME]; /* the network interface under the device; "" none */
	char pci[TREE_PATH];	/* the device's PCI function in sysfs, or its interface's; "" none */
	struct cpulist cpus;	/* where this process may run */
	bool cpus_known;
};

/*
 * Finds the device that -d names or, unless it does, the first that libibverbs lists, or that sysfs has. 0; or
 * -ENODEV, -EINVAL with one log_error() about a device or a port that does not exist. params is kept.
 */
int subject_find(struct subject *subject, const char *root, const struct params *params);
/*
 * Fills subject->probe from this machine. Between subject_find() and the checks. 0, or -EINVAL with one
 * log_error(): the software device has no such port.
 */
int subject_probe(struct subject *subject);
/* subject_find() without the machine: from what device_diag_open() found, which is in the probe already. */
int subject_choose(struct subject *subject);

#endif
