/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does /proc number processes and threads as the system calls of this process do? It shows those of the namespace that
 * it was mounted for: after `unshare --pid` without `--mount-proc`, or where a container has the host's /proc, that is
 * another one.
 */
#ifndef SOFT_PROC_NUMBERS_H
#define SOFT_PROC_NUMBERS_H

#include <stdbool.h>
#include <sys/types.h>

bool soft_proc_numbers_are_ours(void);
/* Of a thread of this process that is called so in /proc/self/task, the number that system calls take; 0: it has ended.
 */
pid_t soft_proc_task(const char *name);

#endif
