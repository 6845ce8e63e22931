/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The static rates of address handles: --rate_limit with the limiter of the hardware. */
#ifndef VERBS_STATIC_RATE_H
#define VERBS_STATIC_RATE_H

#include <infiniband/verbs.h>

/* 0 and *rate, or -ENOENT: the verbs have no such rate (2.5, 5, 10, ... 600 Gb/s; see the manual page). */
int static_rate_from_gbits(double gbits, enum ibv_rate *rate);

#endif
