/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --use-hp: the size of huge pages, and whether the host has enough of them. */
#ifndef CXI_HUGE_PAGES_H
#define CXI_HUGE_PAGES_H

#include <stdint.h>

#include "cxi/parameters.h"

/* 0 for HUGE_OFF. */
uint64_t cxi_huge_page_bytes(enum huge_pages size);
/* Are enough pages free? If so, buffers will use them. 0 or -errno, reported. */
int cxi_huge_pages_check(enum huge_pages size, uint64_t needed);

#endif
