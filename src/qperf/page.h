/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the manual page and the completion say of qperf. For gen_docs only. */
#ifndef QPERF_PAGE_H
#define QPERF_PAGE_H

#include "params/page.h"

/* Made of the tables of options and tests at the first call. */
const struct page *qperf_page(void);

#endif
