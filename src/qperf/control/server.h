/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The server: listens, and forks a process for each client that has sent a request. */
#ifndef QPERF_SERVER_H
#define QPERF_SERVER_H

#include "qperf/options/parameters.h"

/* Runs until it is told to quit, or stopped. 0 or -errno, reported. */
int server_main(const struct qperf_params *params);

#endif
