// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Detects input that may be in flight to this process's memory by DMA, which causes no page faults that guard.c would
 * notice. The kernel pins the pages for O_DIRECT, for buffers registered with io_uring, and for reads into these.
 * Before UFFDIO_MOVE an unprivileged process cannot find out which pages are pinned, but it can list its descriptors.
 * Called by page_move.c when it cannot use UFFDIO_MOVE.
 *
 * Not detected: native AIO on a file that was closed since, and other devices (a real RDMA adapter, a GPU) that pin
 * memory.
 */
#include "config.h"

#include "memory/direct_io.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RING_NAME   "anon_inode:[io_uring]"
#define CONTEXT	    "/[aio]" /* the name in /proc of an io_setup(2) queue */
#define NAME_LENGTH 64

static bool is_ring(int folder, const char *number)
{
	char name[NAME_LENGTH];
	ssize_t length = readlinkat(folder, number, name, sizeof(name));

	return length == (ssize_t)strlen(RING_NAME) && memcmp(name, RING_NAME, strlen(RING_NAME)) == 0;
}

/* Unknown counts as true. */
static bool has_aio_context(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	bool found = !maps;
	size_t size = 0;
	char *line = NULL;

	while (!found && getline(&line, &size, maps) > 0)
		found = strstr(line, CONTEXT) != NULL;
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

int soft_direct_io_find(bool has_threads, const char **what)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	int direct = -1, ring = -1;

	if (!folder)
		return -errno - 1;
	while (ring < 0 && (entry = readdir(folder))) {
		struct stat status;
		int flags, fd;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		fd = atoi(entry->d_name);
		flags = fcntl(fd, F_GETFL);
		if (flags < 0 || fstat(fd, &status))
			continue; /* closed since */
		/* For a pipe the flag has another meaning. */
		if (flags & O_DIRECT && !S_ISFIFO(status.st_mode))
			direct = fd;
		/* Anonymous inodes have no file type. */
		if (!(status.st_mode & S_IFMT) && is_ring(dirfd(folder), entry->d_name))
			ring = fd;
	}
	closedir(folder);
	if (ring >= 0) {
		*what = "a ring of io_uring";
		return ring;
	}
	/* A program with one thread is here, so it is not in read(). */
	if (direct >= 0 && (has_threads || has_aio_context())) {
		*what = "a file opened with O_DIRECT";
		return direct;
	}
	return -1;
}
