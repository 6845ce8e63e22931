/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --use-hp: of which size are huge pages, and has the host enough of them? */
#ifndef CXI_HUGE_PAGES_H
#define CXI_HUGE_PAGES_H

#include <stdint.h>

#include "cxi/parameters.h"

/* 0: HUGE_OFF. */
uint64_t cxi_huge_page_bytes(enum huge_pages size);
/* Are as many free as are needed? Then buffers are made of them. 0 or -errno, reported. */
int cxi_huge_pages_check(enum huge_pages size, uint64_t needed);

#endif
