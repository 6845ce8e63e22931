/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of the kernel module that a unit test can run want of the kernel's headers; all of them are this. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef unsigned long long u64;

#define U32_MAX	       UINT32_MAX
#define U64_MAX	       UINT64_MAX
#define ARRAY_SIZE(a)  (sizeof(a) / sizeof((a)[0]))
#define min_t(t, a, b) ((t)(a) < (t)(b) ? (t)(a) : (t)(b))

static inline int fls64(u64 value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

/* The kernel's is as strict: no white space in front, nothing behind, no overflow. */
static inline int kstrtoull(const char *text, unsigned int base, u64 *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, (int)base);
	if (end == text || *end)
		return -EINVAL;
	return errno ? -ERANGE : 0;
}
