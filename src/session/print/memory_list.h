/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --memory=list: the kinds of memory that can be used here, and why others cannot. Called by session.c. */
#pragma once

#include "params/programs.h"
#include "verbs/device/device.h"

/*
 * Prints a line for each kind that the program has an option for to stdout. Queries libraries, the kernel and the
 * device, and allocates no memory.
 */
void memory_list_print(const struct device *device, const struct program *program);
