/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be relied on of stdin, stdout and stderr? */
#ifndef UTIL_STDIO_H
#define UTIL_STDIO_H

#include <stdio.h>

/*
 * First of all: whichever of the three is closed is opened again, so that no socket or device takes its number and gets
 * what is printed. What is written to such a stdout fails, with EBADF.
 */
void stdio_guard(void);

/* What was printed has left: an exit status (util/exit_status.h); its failure is reported. */
int stdio_status(void);

/* What was printed so far has left, errno having been 0 before it was. 0 or -errno, reported. */
int stdio_flush_results(FILE *out);

#endif
