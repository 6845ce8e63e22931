/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that a user names. */
#pragma once

#include <stdio.h>

/*
 * Opens a file that is read from its beginning to its end: a list of hosts or runs, a document, keys. Waits for a
 * program that writes to a FIFO, and says so: its user may not know. NULL, with errno, which is EINTR if the user
 * stopped the program.
 */
FILE *input_file_open(const char *path);

/* Words in the name of an output file, so that one command line names another file on each host and in each run. */
#define PATH_WORDS_HELP "; %h, %p and %t in it are this host, the port and the time, as 20261128-134500"

/* Puts this host's name for %h, the port for %p and the local time for %t. 0, or -ENAMETOOLONG; path is then as it was.
 */
int path_words_fill(char *path, size_t size, unsigned port);
