/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is written about qperf, from the tables of options and tests. */
#pragma once

#include "params/engine/page.h"

/* --help [CATEGORY]. 0, or -ENOENT: there is no such category. */
int help_print(const char *category);
/* The manual page and the completion, for gen_docs; built at the first call. */
const struct page *qperf_page(void);
