/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Of which trouble does it tell when a counter of a port moves? doctor sorts what it finds by that, and resent.c looks
 * at those of one kind.
 */
#ifndef REPORT_TROUBLE_H
#define REPORT_TROUBLE_H

enum trouble { CONGESTION, RETRANSMISSION, RECEIVER, LINK_ERRORS };

struct trouble_counter {
	const char *name;
	enum trouble trouble;
};

/* The last one has no name. */
extern const struct trouble_counter trouble_counters[];

#endif
