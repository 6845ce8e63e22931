// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include "doctor/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/sysfs.h"

#define SHOWN 40 /* characters of malformed contents in a message */

#define SYSFS "/sys"

/* Stores the root and the formatted path in full; path then points after the root. */
#define PATH_OF_FORMAT(tree, full, path, format)                                                                       \
	char full[TREE_PATH];                                                                                          \
	const char *path = full + strlen((tree)->root);                                                                \
	va_list arguments_;                                                                                            \
	va_start(arguments_, format);                                                                                  \
	path_write(tree, full, format, arguments_);                                                                    \
	va_end(arguments_)

/* A path that is too long is truncated, and such a file does not exist. */
static void __attribute__((format(printf, 3, 0)))
path_write(const struct tree *tree, char full[TREE_PATH], const char *format, va_list arguments)
{
	char path[TREE_PATH];
	bool is_sysfs;

	vsnprintf(path, sizeof(path), format, arguments);
	is_sysfs = !tree->root[0] && strncmp(path, SYSFS "/", strlen(SYSFS "/")) == 0;
	snprintf(full, TREE_PATH, "%s%.*s", is_sysfs ? sysfs_root() : tree->root, TREE_PATH - 1,
		 path + (is_sysfs ? strlen(SYSFS) : 0));
}

void tree_sysfs(const struct tree *tree, char path[TREE_PATH])
{
	if (tree->root[0])
		snprintf(path, TREE_PATH, "%s" SYSFS, tree->root);
	else
		snprintf(path, TREE_PATH, "%s", sysfs_root());
}

static int tree_fail(struct tree *tree, const char *path, int err)
{
	snprintf(tree->failure, sizeof(tree->failure), "%.500s: %s", path, strerror(-err));
	return err;
}

int tree_malformed(struct tree *tree, const char *path, const char *text, const char *what)
{
	char shown[SHOWN + 1];
	size_t i;

	for (i = 0; text[i] && i < SHOWN; i++)
		shown[i] = (char)(isprint((unsigned char)text[i]) ? text[i] : '?');
	shown[i] = '\0';
	snprintf(tree->failure, sizeof(tree->failure), "%.500s holds '%s', %s", path, shown, what);
	return -EBADMSG;
}

/* Never blocks, whatever kind of file it is. */
static ssize_t read_all(struct tree *tree, const char *full, const char *path, char *bytes, size_t size)
{
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t used = 0;
	ssize_t n = 0;
	int err;

	if (fd < 0)
		return tree_fail(tree, path, -errno);
	while (used < size - 1) {
		n = read(fd, bytes + used, size - 1 - used);
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	err = -errno;
	close(fd);
	if (n < 0 && !used)
		return tree_fail(tree, path, err);
	bytes[used] = '\0';
	return (ssize_t)used;
}

ssize_t tree_bytes(struct tree *tree, void *bytes, size_t size, const char *format, ...)
{
	PATH_OF_FORMAT(tree, full, path, format);
	return read_all(tree, full, path, bytes, size);
}

static int first_line(struct tree *tree, const char *full, const char *path, char *text, size_t size)
{
	char buffer[1024];
	ssize_t n = read_all(tree, full, path, buffer, sizeof(buffer));
	char *begin = buffer, *end;

	if (n < 0)
		return (int)n;
	end = buffer + strcspn(buffer, "\n");
	if ((ssize_t)(end - buffer) < n && *end != '\n')
		return tree_malformed(tree, path, buffer, "which is no text");
	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	if (begin == end)
		return tree_malformed(tree, path, "", "nothing");
	for (const char *c = begin; *c; c++)
		if (!isprint((unsigned char)*c) && *c != '\t')
			return tree_malformed(tree, path, begin, "which is no text");
	snprintf(text, size, "%s", begin);
	return 0;
}

int tree_text(struct tree *tree, char *text, size_t size, const char *format, ...)
{
	PATH_OF_FORMAT(tree, full, path, format);
	return first_line(tree, full, path, text, size);
}

int tree_number(struct tree *tree, int64_t *number, const char *format, ...)
{
	char text[64], *end;
	long long value;
	int ret;

	PATH_OF_FORMAT(tree, full, path, format);
	ret = first_line(tree, full, path, text, sizeof(text));
	if (ret)
		return ret;
	errno = 0;
	value = strtoll(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
	/* Unsigned counters may exceed LLONG_MAX, to which they are then limited. */
	if (*end || end == text || (errno && value != LLONG_MAX))
		return tree_malformed(tree, path, text, "which is no number");
	*number = value;
	return 0;
}

int tree_line(struct tree *tree, char *text, size_t size, const char *path, const char *word)
{
	static char buffer[65536];
	char full[TREE_PATH];
	const size_t length = strlen(word);
	ssize_t n;

	snprintf(full, sizeof(full), "%s%s", tree->root, path);
	n = read_all(tree, full, path, buffer, sizeof(buffer));
	if (n < 0)
		return (int)n;
	for (char *line = buffer, *next; *line; line = next) {
		size_t end = strcspn(line, "\n"), begin;

		next = line + end + (line[end] == '\n');
		if (end < length || strncmp(line, word, length) != 0)
			continue;
		begin = length + strspn(line + length, ": \t");
		if (begin < end) {
			snprintf(text, size, "%.*s", (int)(end - begin), line + begin);
			return 0;
		}
	}
	snprintf(tree->failure, sizeof(tree->failure), "%.500s does not mention %s", path, word);
	return -ENODATA;
}

bool tree_exists(struct tree *tree, const char *format, ...)
{
	PATH_OF_FORMAT(tree, full, path, format);
	if (access(full, F_OK) == 0)
		return true;
	tree_fail(tree, path, -errno);
	return false;
}

int tree_writable(struct tree *tree, const char *format, ...)
{
	PATH_OF_FORMAT(tree, full, path, format);
	return access(full, R_OK | W_OK) == 0 ? 0 : tree_fail(tree, path, -errno);
}

int tree_real(struct tree *tree, char path_out[TREE_PATH], const char *format, ...)
{
	char real[PATH_MAX], root[PATH_MAX] = "";
	size_t skip;

	PATH_OF_FORMAT(tree, full, path, format);
	if (!realpath(full, real))
		return tree_fail(tree, path, -errno);
	if (tree->root[0] && !realpath(tree->root, root))
		return tree_fail(tree, tree->root, -errno);
	skip = strlen(root);
	if (strncmp(real, root, skip) != 0 || strlen(real + skip) >= TREE_PATH)
		return tree_fail(tree, path, -ELOOP);
	snprintf(path_out, TREE_PATH, "%.*s", TREE_PATH - 1, real + skip);
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(a, b);
}

int tree_names(struct tree *tree, char names[][TREE_NAME], int max, const char *format, ...)
{
	const struct dirent *entry;
	int count = 0;
	DIR *folder;

	PATH_OF_FORMAT(tree, full, path, format);
	folder = opendir(full);
	if (!folder)
		return tree_fail(tree, path, -errno);
	while (count < max && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < TREE_NAME)
			snprintf(names[count++], TREE_NAME, "%.*s", TREE_NAME - 1, entry->d_name);
	closedir(folder);
	qsort(names, (size_t)count, TREE_NAME, compare_names);
	return count;
}
