/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What do /sys, /proc, /dev and /etc say? Every file that a check reads is read here, below a root that
 * is "" on a machine and a folder of files in the unit tests. What a file holds is not trusted: it may be
 * missing, empty, binary or of another form than the kernel's documents say, and is then -errno, with
 * the reason and the file's name kept for the page.
 */
#ifndef DOCTOR_TREE_H
#define DOCTOR_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TREE_PATH 1024
#define TREE_NAME 64

struct tree {
	const char *root;  /* in front of every path; "" or a folder without a slash at its end */
	char trouble[640]; /* why the last call that failed did, with the file's name */
};

/* The first line without its blanks at both ends; -EBADMSG: empty, or no text. */
int tree_text(struct tree *tree, char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A file that holds a decimal or 0x number and nothing else. */
int tree_number(struct tree *tree, int64_t *number, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* All of a file, at most size - 1 bytes of it, with a NUL behind. How many bytes, or -errno. */
ssize_t tree_bytes(struct tree *tree, void *bytes, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* "Max locked memory" in /proc/self/limits: what stands behind a word at the begin of a line, without the blanks. */
int tree_line(struct tree *tree, char *text, size_t size, const char *path, const char *word);
bool tree_exists(struct tree *tree, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Where a link leads, without the root. */
int tree_real(struct tree *tree, char path[TREE_PATH], const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The names in a folder, sorted, without those that begin with a dot: at most max. How many, or -errno. */
int tree_names(struct tree *tree, char names[][TREE_NAME], int max, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* May this process read and write it? 0 or -errno. */
int tree_writable(struct tree *tree, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For a caller that found the content wrong: keeps "PATH holds 'TEXT', WHAT" as the trouble. Returns -EBADMSG. */
int tree_malformed(struct tree *tree, const char *path, const char *text, const char *what);

#endif
