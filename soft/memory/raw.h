/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls that only access the memory passed to them: not even errno, which may be in a page that is moving. They
 * return the kernel's result, a negative errno on error.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

/* For functions that run while pages of their thread, including its stack protector's canary, are being moved. */
#if defined(__has_attribute)
#if __has_attribute(no_stack_protector)
#define RAW_CODE __attribute__((noinline, no_stack_protector, no_sanitize("address", "undefined", "thread")))
#endif
#endif
#ifndef RAW_CODE
#define RAW_CODE __attribute__((noinline, optimize("no-stack-protector"), no_sanitize("address", "undefined")))
#endif

#if defined(__x86_64__)
#define RAW_KEEPS_ERRNO true
static inline long raw_call(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
			    unsigned long e, unsigned long f)
{
	register unsigned long r10 __asm__("r10") = d;
	register unsigned long r8 __asm__("r8") = e;
	register unsigned long r9 __asm__("r9") = f;
	long result;

	__asm__ __volatile__("syscall"
			     : "=a"(result)
			     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			     : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
#define RAW_KEEPS_ERRNO true
static inline long raw_call(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
			    unsigned long e, unsigned long f)
{
	register unsigned long x8 __asm__("x8") = (unsigned long)number;
	register unsigned long x0 __asm__("x0") = a;
	register unsigned long x1 __asm__("x1") = b;
	register unsigned long x2 __asm__("x2") = c;
	register unsigned long x3 __asm__("x3") = d;
	register unsigned long x4 __asm__("x4") = e;
	register unsigned long x5 __asm__("x5") = f;

	__asm__ __volatile__("svc 0"
			     : "+r"(x0)
			     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			     : "memory", "cc");
	return (long)x0;
}
#else
#define RAW_KEEPS_ERRNO false
static inline long raw_call(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
			    unsigned long e, unsigned long f)
{
	long result = syscall(number, a, b, c, d, e, f);

	return result == -1 ? -errno : result;
}
#endif

#define RAW3(name, a, b, c)	  RAW6(name, a, b, c, 0, 0, 0)
#define RAW4(name, a, b, c, d)	  RAW6(name, a, b, c, d, 0, 0)
#define RAW5(name, a, b, c, d, e) RAW6(name, a, b, c, d, e, 0)
#define RAW6(name, a, b, c, d, e, f)                                                                                   \
	raw_call(SYS_##name, (unsigned long)(a), (unsigned long)(b), (unsigned long)(c), (unsigned long)(d),           \
		 (unsigned long)(e), (unsigned long)(f))

/* Errors are values in the last page. */
static inline bool raw_failed(long result)
{
	return (unsigned long)result > -4096ul;
}
