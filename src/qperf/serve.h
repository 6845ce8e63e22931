/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Serving one client that has sent its request. */
#ifndef QPERF_SERVE_H
#define QPERF_SERVE_H

#include "qperf/parameters.h"
#include "qperf/wire.h"

#define SERVE_QUIT 1 /* the client asked for the server's end, and may */

/* fd: its connection. 0, SERVE_QUIT, or -errno, reported here and to the client. */
int client_serve(int fd, const uint8_t request[REQUEST_SIZE], const struct qperf_params *params);

#endif
