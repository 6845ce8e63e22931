/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The manual page and the completion of qperf. Only for gen_docs. */
#ifndef QPERF_PAGE_H
#define QPERF_PAGE_H

#include "params/engine/page.h"

/* Built from the tables of options and tests at the first call. */
const struct page *qperf_page(void);

#endif
