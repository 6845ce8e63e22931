/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --access_recv: the least that an application does with a message. */
#ifndef QPERF_ACCESS_H
#define QPERF_ACCESS_H

#include <stdint.h>

/* Reads all of it. */
void access_data(const void *data, uint64_t length);

#endif
