/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What else runs in this process? See tasks.c. */
#ifndef SOFT_TASKS_H
#define SOFT_TASKS_H

#include <stdbool.h>

#include "memory/proc_maps.h"

unsigned int soft_tasks_count(void); /* threads, this one among them; 0: cannot be known */
/* Another thread than the caller may have its stack in that mapping, from `start` on. */
bool soft_tasks_stack_within(const struct mapping *mapping, uint64_t start);
/* The same, also where the mapping is but a part of the stack, or when it cannot be known. */
bool soft_tasks_stack_around(const struct mapping *mapping, uint64_t start);
/* Another thread than the caller blocks the signal, or it cannot be known. */
bool soft_tasks_block(int signal);
/* Does the range hold memory that the calling thread writes to while it runs: its stack, or its thread control block?
 */
bool soft_tasks_own_stack(const struct mapping *mapping);
bool soft_tasks_own_block(const struct mapping *mapping);
/* Runs it while the calling thread is out of user space: nothing of its memory is read or written meanwhile. */
int soft_tasks_run_apart(int (*run)(void *argument), void *argument);

#endif
