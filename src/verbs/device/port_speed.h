/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The effective speed of a port by ibv_query_port_speed() (rdma-core 62): that of a bond is the sum of its active
 * members, and that of a degraded link what is left of it, where the rate in sysfs is the nominal one of a member.
 * Called by session and doctor.
 */
#pragma once

#include <infiniband/verbs.h>

/* Gb/s; 0: unknown, as with older versions of libibverbs or of the kernel. */
double port_speed_gbits(struct ibv_context *context, unsigned port);
