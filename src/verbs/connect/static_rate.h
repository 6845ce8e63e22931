/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Static rates of address handles: --rate_limit with the hardware limiter. */
#pragma once

#include <infiniband/verbs.h>
#include <stddef.h>

/* 0 and *rate, or -ENOENT: verbs has no such rate (2.5, 5, 10, ... 1200 Gb/s). */
int static_rate_from_gbits(double gbits, enum ibv_rate *rate);
/* Gb/s; 0: no limit, or not one of verbs. */
double static_rate_gbits(enum ibv_rate rate);
/* All rates: "2.5, 5, 10, ...". Returns text. */
const char *static_rate_list(char *text, size_t size);
