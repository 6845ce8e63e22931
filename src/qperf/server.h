/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The server: listens, and makes a process for each client that has said what it wants. */
#ifndef QPERF_SERVER_H
#define QPERF_SERVER_H

#include "qperf/parameters.h"

/* Until it is told to quit, or stopped. 0 or -errno, reported. */
int server_main(const struct qperf_params *params);

#endif
