/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that is whole whenever it is read: it is written under a temporary name in the same folder and renamed at the
 * end, and during a long run whenever its writer says that it is whole. Anything but a regular file (a pipe, /dev/null)
 * cannot be replaced and is written directly. Called by envelope.c.
 */
#pragma once

#include <stdio.h>
#include <sys/types.h>

struct output_file {
	FILE *stream;
	char *path;	 /* final path; a symbolic link is followed */
	char *temporary; /* NULL: written directly */
	FILE *shown;	 /* what is at the path since the last output_file_show(); NULL: nothing of this run */
	off_t length;	 /* bytes of it with which the stream begins */
	off_t lacks;	 /* ... but it has yet to be given those from here on */
};

/*
 * "folder/run.json" and 3 give "folder/run.3.json", "run" gives "run.3"; the path itself unless it is a regular file.
 * 0, or -ENAMETOOLONG.
 */
int output_file_number(char *numbered, size_t size, const char *path, unsigned n);
/* The same for --out_json_file of a server's client; "": stays so. 0 or -ENAMETOOLONG, reported. */
int output_file_number_client(char *path, size_t size, unsigned n);
/*
 * 0 or -errno, not reported; on failure the struct is zero. The umask determines the mode. Waits for the reader of a
 * FIFO, and says so.
 */
int output_file_open(struct output_file *file, const char *path);
/* What a failure of one of these functions means. */
const char *output_file_error(int err);
/*
 * Waits for the reader of a FIFO, if it is one, and keeps it open until this process ends, so that no later call waits.
 * 0 or -errno.
 */
int output_file_await_reader(const char *path);
/* Could it be opened? Leaves nothing behind; does not open pipes and devices. 0 or -errno. */
int output_file_check(const char *path);
/*
 * Puts what has been written so far at the path; the stream then goes on after its first length bytes, in another file.
 * Two files are written in turn, and each time lack only what is new, so that the effort does not grow with them; a
 * reader has until the next call to read one. Only of a file with a temporary name. 0 or -errno.
 */
int output_file_show(struct output_file *file, off_t length);
/* Renames the file. 0, or -errno of the write that failed; then only what existed before remains. */
int output_file_commit(struct output_file *file);
/* Removes the temporary file. The struct may be zero or committed. */
void output_file_discard(struct output_file *file);
