/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of qperf other programs and its own main file call: the program, its client, its server, a refusal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct conn;
struct page;
struct qperf_params;

/* Returns the exit status of the program. */
int qperf_main(int argc, char **argv);

/* --- control/client.c: runs the tests of a command line in order, and prints their results --- */

/* Steps of struct life_ops; own: a struct qperf. */
int client_open(void *own);
int client_run(void *own);
int client_end_report(void *own, const char *status, const char *reason);

/* --- control/server.c listens, and forks a process for each client that has sent its request --- */

#define SERVE_QUIT 1 /* the client requested that the server quits, and is allowed to */

/* Runs until it is told to quit, or stopped. 0 or -errno, reported. */
int server_main(const struct qperf_params *params);

/*
 * Takes ownership of the connection, whose request is pending. 0, SERVE_QUIT, or -errno, reported here and to the
 * client.
 */
int client_serve(struct conn *conn, const struct qperf_params *params);

/* --- refusal.c: what a server that does not serve a client answers --- */

/* Does a request of qperf begin with these bytes, 8 or more? */
bool refusal_knows(const uint8_t *bytes, size_t length);
/*
 * Sends a line of text, without waiting, and nothing follows. bytes: what has arrived of the request, which tells how
 * the client is told.
 */
void refusal_send(int fd, const uint8_t *bytes, size_t length, const char *text);

/* --- options/help.c, options/page.c: what is written about qperf, from the tables of options and tests --- */

/* --help [CATEGORY]. 0, or -ENOENT: there is no such category. */
int help_print(const char *category);
/* The manual page and the completion, for gen_docs; built at the first call. */
const struct page *qperf_page(void);
