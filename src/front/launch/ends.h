/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pipes between this process and one that it starts. Called by child.c and remote.c. */
#pragma once

#include <stdbool.h>

/* The other process may have what it is given at these descriptors: no end of a pipe is. */
#define ENDS_GIVEN 5

/* Both ends of a pipe, or of a connection; exec() closes them. 0 or -errno: then each is closed, or -1. */
int ends_open(int ends[2], bool both_ways);
/* It may be -1, and is -1 then. */
void end_close(int *end);
