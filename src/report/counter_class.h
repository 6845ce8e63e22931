/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What it means when a port's counter moves: doctor groups its findings by class, retransmits.c reads one class. */
#ifndef REPORT_COUNTER_CLASS_H
#define REPORT_COUNTER_CLASS_H

enum counter_class { CONGESTION, RETRANSMISSION, RECEIVER, LINK_ERRORS };

struct known_counter {
	const char *name;
	enum counter_class class;
};

/* The last one has no name. */
extern const struct known_counter known_counters[];

#endif
