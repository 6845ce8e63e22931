/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What only ethtool reports about a network interface: pause frames and the driver's own counters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/nic_statistics.h"

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

void nic_ask(struct nic *nic, const char *netdev);
/* A port of that interface, if it is a bond, which has neither itself: counters of the same name are summed. */
void nic_add_port(struct nic *nic, const char *netdev);
/* Does a counter of this name count drops? */
bool nic_counts_drops(const char *name);
