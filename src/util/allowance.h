/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long a server lets a client's test last (--max_duration), by what the client asks for, and whatever that says.
 * Called by session and cxi_send_bw.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/deadline.h"

#define ALLOWANCE_ENDLESS UINT64_MAX

/* Seconds; 0: as long as it takes. max_duration_s: the option's value, if it is given: without it a server that stays
 * has a limit, too. */
uint32_t allowance_s(uint32_t max_duration_s, bool is_given, bool keeps_serving);
/* lasts_s: what the client asks for by time; 0: unknown. 0, or -EPERM and the reason for both sides. */
int allowance_check(uint32_t allowed_s, uint64_t lasts_s, char *reason, size_t reason_size);
/* For channel.end: of a test that begins now, with its set-up and its end. at_ns 0: none. */
struct deadline allowance_end(uint32_t allowed_s);
