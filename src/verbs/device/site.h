/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where is each side, and can their devices communicate at all? A software device only reaches processes of the same
 * user on the same host, which neither side can check alone: different hosts would look like lost packets, different
 * users like a firewall. So both report where they are, and the server refuses.
 */
#pragma once

#include <stddef.h>

#include "util/endpoint.h"

struct device;

/* Describes this side. */
void site_describe(const struct device *device, struct site *site);

/* One side, for messages. */
struct site_side {
	const struct site *site;
	const char *host;
};

/*
 * 0, or -ENXIO with a sentence that both users understand. device_option: with which a program selects its device,
 * "-d".
 */
int site_check(struct site_side server, struct site_side client, const char *device_option, char *reason, size_t size);
