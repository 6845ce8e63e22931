/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the cycle counter of each architecture. Only for clock.h, which describes its use. CLOCK_COUNTER_NAME is its
 * name in the results; not defined: there is none, and the clock is clock_gettime().
 *
 * All but that of x86 tick at a fixed rate by definition of the architecture, in step on all CPUs;
 * clock_tsc_is_usable() is about x86.
 */
#pragma once

#if defined(__x86_64__)

#define CLOCK_COUNTER_NAME "tsc"

static inline uint64_t clock_counter(void)
{
	return __builtin_ia32_rdtsc();
}

#elif defined(__aarch64__)

#define CLOCK_COUNTER_NAME "cntvct"

static inline uint64_t clock_counter(void)
{
	uint64_t value;

	/* Without the barrier the read may happen far ahead of the preceding instructions. */
	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
	return value;
}

#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)

#define CLOCK_COUNTER_NAME "timebase"

static inline uint64_t clock_counter(void)
{
	return __builtin_ppc_get_timebase();
}

#elif defined(__s390x__)

#define CLOCK_COUNTER_NAME "tod"

static inline uint64_t clock_counter(void)
{
	uint64_t value;

	/* stckf, written as an instruction format for assemblers that target older machines. */
	__asm__ volatile(".insn s,0xb27c0000,%0" : "=Q"(value) : : "cc");
	return value; /* 4096 ticks per microsecond */
}

#elif defined(__riscv) && __riscv_xlen == 64

#define CLOCK_COUNTER_NAME "time"

static inline uint64_t clock_counter(void)
{
	uint64_t value;

	__asm__ volatile("rdtime %0" : "=r"(value));
	return value;
}

#elif defined(__loongarch64)

#define CLOCK_COUNTER_NAME "stable"

static inline uint64_t clock_counter(void)
{
	uint64_t value;

	__asm__ volatile("rdtime.d %0, $zero" : "=r"(value));
	return value;
}

#else

static inline uint64_t clock_counter(void)
{
	return clock_gettime_ns();
}

#endif
