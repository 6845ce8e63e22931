/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a server that does not serve a client tells it, before anything else. Called by server.c and `perftest serve`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does a request of qperf begin with these bytes, 8 or more? */
bool refusal_knows(const uint8_t *bytes, size_t length);
/*
 * Sends a line of text, without waiting, and nothing follows. bytes: what has arrived of the request, which tells how
 * the client is told.
 */
void refusal_send(int fd, const uint8_t *bytes, size_t length, const char *text);
