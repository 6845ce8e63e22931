/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The server. It listens, and forks a process for each client that has sent its request. */
#pragma once

#include "qperf/options/parameters.h"

#define SERVE_QUIT 1 /* the client requested that the server quits, and is allowed to */

struct conn; /* net/conn.h */

/* Runs until it is told to quit, or stopped. 0 or -errno, reported. */
int server_main(const struct qperf_params *params);

/*
 * Takes ownership of the connection, whose request is pending. 0, SERVE_QUIT, or -errno, reported here and to the
 * client.
 */
int client_serve(struct conn *conn, const struct qperf_params *params);
