/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What it means when a port's counter moves: doctor and explain group them by class, retransmits.c reads one class. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum counter_class { CONGESTION, RETRANSMISSION, RECEIVER, LINK_ERRORS };

struct known_counter {
	const char *name;
	enum counter_class class;
};

/* The last one has no name. */
extern const struct known_counter known_counters[];

/* Of the port, or of the device. root: the folder with "class/infiniband". False: neither has this counter. */
bool known_counter_read(const char *root, const char *device, unsigned port, const char *name, uint64_t *value);
