/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --help [CATEGORY], from the tables of options and tests. */
#ifndef QPERF_HELP_H
#define QPERF_HELP_H

/* 0, or -ENOENT: there is no such category. */
int help_print(const char *category);

#endif
