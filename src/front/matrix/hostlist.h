/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of hosts as Slurm, pdsh and clush write them: "n[1-4,7,09-12],m1", also with several brackets, separated by
 * commas or blanks. A number keeps the zeros in front that its range begins with. Pure functions.
 */
#pragma once

#include <stdbool.h>

#define HOSTLIST_NAME_SIZE 256

/* False: no more are wanted. */
typedef bool (*hostlist_take_fn)(void *context, const char *name);

/* Each name, in the order of the list. NULL, or what is wrong with it, which may come behind some of its names. */
const char *hostlist_each(const char *list, hostlist_take_fn take, void *context);
