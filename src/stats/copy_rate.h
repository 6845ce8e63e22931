/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How fast does memcpy() copy messages of one size on one CPU of this host? What a software device moves is compared
 * with it, since there is no link (--report_possible). Called by report.
 */
#pragma once

#include <stdint.h>

/*
 * Bytes per second, the best of several times of at least a millisecond; 0: no memory. It takes about 60 ms. Messages
 * above 64 MiB are copied as such of 64 MiB, which fit no cache, either.
 */
double copy_rate_measure(uint64_t size);
