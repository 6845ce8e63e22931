/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The life of qperf; called by its main file. */
#ifndef QPERF_QPERF_H
#define QPERF_QPERF_H

/* Returns what the process shall exit with. */
int qperf_main(int argc, char **argv);

#endif
