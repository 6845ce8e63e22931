/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A process: standard streams that are reliable, a stack that is large enough, and its exit status. */
#pragma once

#include <stdio.h>

/* Scripts test for non-zero; CI that needs the reason uses the number. */
enum exit_status {
	EXIT_STATUS_OK = 0,
	EXIT_STATUS_FAILURE = 1,       /* device, peer, network, file */
	EXIT_STATUS_USAGE = 2,	       /* the command line is wrong; nothing was attempted */
	EXIT_STATUS_LIMIT = 3,	       /* a result misses a requested limit (-w, --max_lat) */
	EXIT_STATUS_VALIDATION = 4,    /* --data_validation: wrong data arrived, here or at the peer */
	EXIT_STATUS_FINDINGS = 5,      /* --doctor: it found something */
	EXIT_STATUS_INTERRUPTED = 130, /* SIGINT, SIGTERM or SIGHUP stopped the run early (128 + SIGINT) */
};

/*
 * Call it first: opens whichever of the three is closed, so that no socket or device gets its number and receives
 * output. Writing to such a stdout fails with EBADF.
 */
void stdio_guard(void);

/* Returns the result of printing to stdout or flushing it, and keeps the first error for those below. */
int stdio_check(int ret);

/* Flushes the output and returns an exit status; reports a failure. */
int stdio_status(void);

/* Flushes what was printed so far; errno must have been 0 before that. 0 or -errno, reported. */
int stdio_flush_results(FILE *out);

/* As many descriptors as this user may have: each connection needs one. */
void descriptors_raise(void);

/* Called before anything else: 0, or -ENOMEM, reported, under a small ulimit -s, where the program would end with
 * SIGSEGV. */
int stack_check(void);
