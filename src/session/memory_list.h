/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --memory=list: which kinds of memory can be used here, and why not the others? Called by session.c. */
#ifndef SESSION_MEMORY_LIST_H
#define SESSION_MEMORY_LIST_H

#include "verbs/device.h"

/* To stdout: a line for each kind. It asks libraries, the kernel and the device, and takes no memory. */
void memory_list_print(const struct device *device);

#endif
