/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a program needs of its process: standard streams that are reliable, and a stack that is large enough. */
#pragma once

#include <stdio.h>

/*
 * Call it first: opens whichever of the three is closed, so that no socket or device gets its number and receives
 * output. Writing to such a stdout fails with EBADF.
 */
void stdio_guard(void);

/* Returns the result of printing to stdout or flushing it, and keeps the first error for those below. */
int stdio_check(int ret);

/* Flushes the output and returns an exit status (util/exit_status.h); reports a failure. */
int stdio_status(void);

/* Flushes what was printed so far; errno must have been 0 before that. 0 or -errno, reported. */
int stdio_flush_results(FILE *out);

/* Called before anything else: 0, or -ENOMEM, reported, under a small ulimit -s, where the program would end with
 * SIGSEGV. */
int stack_check(void);
