/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Allocates rings in the control file. See ring_alloc.c. */
#pragma once

#include <stdint.h>

/* Zeroed. The caller may hold any lock. */
int soft_ring_take(uint64_t bytes, uint64_t *offset);
void soft_ring_give(uint64_t offset, uint64_t bytes);
void soft_ring_reset(void); /* no block is in use, or this is a forked child */
