/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Translates process and thread ids between /proc and system calls. /proc shows the ids of the PID namespace that it
 * was mounted for: after `unshare --pid` without `--mount-proc`, or in a container with the host's /proc, that is
 * another one than this process's.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

bool soft_proc_numbers_are_ours(void);
/* The id for system calls of a thread of this process, given its name in /proc/self/task; 0: it has exited. */
pid_t soft_proc_task(const char *name);
