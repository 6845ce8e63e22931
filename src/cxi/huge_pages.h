/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --use-hp: memory of huge pages of one size, and whether the host has enough of them. */
#ifndef CXI_HUGE_PAGES_H
#define CXI_HUGE_PAGES_H

#include <stdint.h>

#include "cxi/parameters.h"
#include "memory/memory.h"

extern const struct memory_ops memory_huge_2m;
extern const struct memory_ops memory_huge_1g;

/* 0: HUGE_OFF. */
uint64_t cxi_huge_page_bytes(enum huge_pages size);
/* Are so many free? 0 or -ENOMEM, reported. */
int cxi_huge_pages_check(enum huge_pages size, uint64_t needed);

#endif
