/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A time of day as text, for rows (--timestamps) and documents. */
#pragma once

#include <stdint.h>
#include <time.h>

#define STAMP_SIZE 64

/* The time of day of a stamp of stats/clock.h; 0, and stamps in the future: now. */
struct timespec stamp_of_cycles(uint64_t cycles);
/* "2025-11-20T11:06:00.123Z" (RFC 3339, which is ISO 8601). Returns text. */
const char *stamp_text(const struct timespec *when, char text[STAMP_SIZE]);
