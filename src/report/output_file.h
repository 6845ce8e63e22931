/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that appears whole or not at all: it grows under a temporary name in the same folder and
 * takes its own name at the end. What is no regular file (a pipe, /dev/null) can't be replaced and is
 * written directly. Called by json.c.
 */
#ifndef REPORT_OUTPUT_FILE_H
#define REPORT_OUTPUT_FILE_H

#include <stdio.h>

struct output_file {
	FILE *stream;
	char *path;	 /* where it shall be; a symbolic link is followed */
	char *temporary; /* NULL: written directly */
};

/*
 * "folder/run.json" and 3 to "folder/run.3.json", "run" to "run.3"; the path itself where it is something else than a
 * regular file. 0, or -ENAMETOOLONG.
 */
int output_file_number(char *numbered, size_t size, const char *path, unsigned n);
/* 0 or -errno, not reported; on failure the struct is zero. The mode is left to the umask. */
int output_file_open(struct output_file *file, const char *path);
/* Could it be opened? Nothing is left; pipes and devices are not touched. 0 or -errno. */
int output_file_check(const char *path);
/* Gives the file its name. 0, or -errno of whatever write went wrong; then nothing is left but what stood there before.
 */
int output_file_commit(struct output_file *file);
/* Gives it up. Takes a struct that is zero or committed. */
void output_file_discard(struct output_file *file);

#endif
