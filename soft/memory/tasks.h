/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The other threads of this process. See tasks.c. */
#pragma once

#include "memory/proc_maps.h"

unsigned int soft_tasks_count(void); /* threads, including this one; 0: unknown */
/* May a thread other than the caller have its stack in that mapping, from `start` on? */
bool soft_tasks_stack_within(const struct mapping *mapping, uint64_t start);
/* The same; also true if the mapping is only part of the stack, or if that is unknown. */
bool soft_tasks_stack_around(const struct mapping *mapping, uint64_t start);
/* True if a thread other than the caller blocks the signal, or if that is unknown. */
bool soft_tasks_block(int signal);
/*
 * Does the range contain memory that the calling thread writes to while it runs: its stack, or its thread control
 * block?
 */
bool soft_tasks_own_stack(const struct mapping *mapping);
bool soft_tasks_own_block(const struct mapping *mapping);
/* Runs a function while the calling thread is in the kernel: its memory is not accessed meanwhile. */
int soft_tasks_run_apart(int (*run)(void *argument), void *argument);
