/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packet pacing: the device limits what each queue pair sends (--rate_limit_type=PP). */
#pragma once

struct device;
struct resources;
struct verbs_config;

/* Can the device pace such queue pairs, at this rate, if that is requested? 0 or -errno, reported. */
int pace_check(const struct device *device, const struct verbs_config *config);
/* Sets the pace of all QPs of this side, which are in RTS, if requested. 0 or -errno, reported. */
int pace_set(const struct resources *resources);
