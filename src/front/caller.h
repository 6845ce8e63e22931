/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who calls `perftest serve`, by the first bytes of the connection: the client of which program? And how is it told
 * that it is not served? Called by serve.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CALLER_BYTES 16 /* of each program's first message, which are enough */

enum caller_protocol { CALLER_PERFTEST, CALLER_QPERF, CALLER_CXI, CALLER_CMTIME };

struct caller_kind {
	enum caller_protocol protocol;
	/* the program whose server it needs, of the tables of the suite; NULL: it does not say (linux-rdma perftest) */
	const char *program;
};

/* 0, or -EBADMSG and what it is instead, to follow its address. */
int caller_recognize(struct caller_kind *caller, const uint8_t bytes[CALLER_BYTES], char *words, size_t size);
/* Sends the reason as the client prints it, without waiting. bytes: its first ones. */
void caller_refuse(const struct caller_kind *caller, int fd, const uint8_t bytes[CALLER_BYTES], const char *reason);
