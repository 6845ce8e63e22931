/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The work requests that the loops post. Called by perftest_resources.c. */
#pragma once

#include <stdint.h>

struct resources;

/* Allocates all chains; 0 or -ENOMEM, reported. */
int wr_open(struct resources *resources);
/*
 * Builds every queue's chains and strides for messages of this size, and the headers of frames. 0 or -errno, reported.
 */
int wr_prepare(struct resources *resources, uint64_t size);
void wr_close(struct resources *resources);
