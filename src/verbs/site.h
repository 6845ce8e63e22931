/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where is each side, and can their devices talk at all? A software device reaches the processes of its user on its
 * host, which a side can't see of the other: two hosts look like lost packets, two users like a firewall. So both tell,
 * and the server refuses.
 */
#ifndef VERBS_SITE_H
#define VERBS_SITE_H

#include <stddef.h>

#include "util/site.h"

struct device;

/* Of this side. */
void site_describe(const struct device *device, struct site *site);

/* One side's, for messages. */
struct site_side {
	const struct site *site;
	const char *host;
};

/*
 * 0, or -ENXIO with a sentence that both users understand. device_option: by which a program is told its device, "-d".
 */
int site_check(struct site_side server, struct site_side client, const char *device_option, char *reason, size_t size);

#endif
