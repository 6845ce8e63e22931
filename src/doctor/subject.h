/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is examined: a host, a device and its port, and facts about them that are not in files. */
#pragma once

#include <stdbool.h>

#include "doctor/options.h"
#include "doctor/tree.h"
#include "util/cpulist.h"
#include "util/netdev.h"
#include "util/nic_statistics.h"
#include "verbs/device/device_diag.h"

/* What only ethtool reports about a network interface: pause frames and the driver's own counters. */
#define NIC_COUNTERS 64

struct nic {
	int error;	  /* -errno: no answer at all; otherwise 0 */
	bool pause_known; /* the driver reports it */
	bool pause_rx;	  /* obeys pause frames */
	bool pause_tx;	  /* sends pause frames */
	/* counters of pause frames, and of packets dropped for lack of room */
	unsigned num_counters;
	struct {
		char name[NIC_STATISTICS_NAME];
		uint64_t value;
	} counters[NIC_COUNTERS];
};

/* Facts from libraries and system calls, which unit tests fill in themselves. */
struct probe {
	struct device_diag diag;
	struct nic nic;
	const char *clock_source; /* stats/clock.h */
	double clock_hz;
	double clock_error;    /* relative */
	bool clock_fallback;   /* no reliable CPU counter */
	int memfd_error;       /* -errno of creating a memfd; 0: none */
	char runtime_dir[256]; /* from the environment, or the one that a login would have */
	bool runtime_dir_is_ours;
};

enum subject_kind { SUBJECT_NONE, SUBJECT_DEVICE, SUBJECT_SOFTWARE };

struct subject {
	struct tree tree;
	const struct doctor_options *options;
	struct probe probe;
	enum subject_kind kind; /* NONE: there is no device */
	char device[TREE_NAME]; /* "" if none */
	unsigned port;
	char folder[TREE_PATH]; /* of the port in sysfs; "" if none */
	char netdev[TREE_NAME]; /* of the device; "" if none */
	char pci[TREE_PATH];	/* PCI function of the device or its interface, in sysfs; "" if none */
	struct cpulist cpus;	/* on which this process may run */
	bool cpus_known;
};

#define NETDEV_FILES 128 /* of an interface */

/* Does a counter of this name count drops? */
bool nic_counts_drops(const char *name);

/* --- the host alone, and the NIC of options->function --- */

/* Before the others. options: live as long as the subject. */
void subject_init(struct subject *subject, const struct doctor_options *options);
/* Which NIC; keeps options. */
void subject_choose_host(struct subject *subject);
/* Fills subject->probe from this machine. Called between subject_choose_host() and the checks. */
void subject_probe_host(struct subject *subject);

/* --- with the RDMA device, by libibverbs: subject_device.c; as above --- */

/*
 * Finds the device of -d or, without it, the one that a test would choose (probe.diag), or that sysfs has. 0; or
 * -ENODEV, -EINVAL with one log_error() about a device or a port that does not exist.
 */
int subject_choose(struct subject *subject);
/* 0, or -EINVAL with one log_error(): the software device has no such port. */
int subject_probe(struct subject *subject);
