/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads /sys, /proc, /dev and /etc. All files that checks need are read here, relative to a root that is "" on a
 * machine and a folder in unit tests. Contents are not trusted: a file may be missing, empty, binary or not in the
 * documented form, which yields -errno, with the reason and the file's name kept for the page.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TREE_PATH 1024
#define TREE_NAME 64

struct tree {
	/* prefix of all paths: a folder without a trailing slash; "": this machine, with /sys from sysfs_root() */
	const char *root;
	char failure[640]; /* why the last failed call failed, with the file's name */
};

/* Where /sys is, for functions of other layers. */
void tree_sysfs(const struct tree *tree, char path[TREE_PATH]);
/* The first line without surrounding blanks; -EBADMSG: empty, or not text. */
int tree_text(struct tree *tree, char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A file that contains only a decimal or 0x number. */
int tree_number(struct tree *tree, int64_t *number, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A whole file, at most size - 1 bytes, with a NUL appended. Returns the number of bytes, or -errno. */
ssize_t tree_bytes(struct tree *tree, void *bytes, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* "Max locked memory" in /proc/self/limits: what follows a word at the start of a line, without blanks. */
int tree_line(struct tree *tree, char *text, size_t size, const char *path, const char *word);
bool tree_exists(struct tree *tree, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The target of a link, without the root. */
int tree_real(struct tree *tree, char path[TREE_PATH], const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The names in a folder, sorted, without those that start with a dot, at most max. Returns their number, or -errno. */
int tree_names(struct tree *tree, char names[][TREE_NAME], int max, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* May this process read and write it? 0 or -errno. */
int tree_writable(struct tree *tree, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For callers that find the contents wrong: stores "PATH holds 'TEXT', WHAT" as the reason. Returns -EBADMSG. */
int tree_malformed(struct tree *tree, const char *path, const char *text, const char *what);
