/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 128-bit integers, for the sums of latency.h and the stamps of schedule.h, whose halves are parts of messages. */
#pragma once

#include <stdint.h>

union wide {
	unsigned __int128 value;
	struct {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		uint64_t high, low;
#else
		uint64_t low, high;
#endif
	};
};
