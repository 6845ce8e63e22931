/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file that is read from its beginning to its end: lists of hosts and runs, documents, keys. */
#pragma once

#include <stdio.h>

/*
 * Waits for a program that writes to a FIFO, and says so: its user may not know. NULL, with errno, which is EINTR if
 * the user stopped the program.
 */
FILE *input_file_open(const char *path);
