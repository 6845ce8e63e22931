// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * By what may the kernel write to this process's memory without its CPUs, and so without the page faults by which
 * guard.c would notice? It holds the pages themselves (pins them) for O_DIRECT, for buffers that are registered with
 * io_uring, and for what io_uring reads so. Before UFFDIO_MOVE nothing tells an unprivileged process which pages; which
 * descriptors it has can be told. Called by page_move.c where it cannot take pages away.
 *
 * What is not found: native AIO on a file that was closed since, and other devices (a real RDMA adapter, a GPU) that
 * hold memory.
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
#define CONTEXT	    "/[aio]" /* how /proc shows the queue of io_setup(2) */
#define NAME_LENGTH 64

static bool is_ring(int folder, const char *number)
{
	char name[NAME_LENGTH];
	ssize_t length = readlinkat(folder, number, name, sizeof(name));

	return length == (ssize_t)strlen(RING_NAME) && memcmp(name, RING_NAME, strlen(RING_NAME)) == 0;
}

/* What is not known counts as one. */
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
			continue; /* closed meanwhile */
		/* A pipe has another use for the flag. */
		if (flags & O_DIRECT && !S_ISFIFO(status.st_mode))
			direct = fd;
		/* Descriptors of the kernel's own kinds have no type of file. */
		if (!(status.st_mode & S_IFMT) && is_ring(dirfd(folder), entry->d_name))
			ring = fd;
	}
	closedir(folder);
	if (ring >= 0) {
		*what = "a ring of io_uring";
		return ring;
	}
	/* A program of one thread is here, and in no read(). */
	if (direct >= 0 && (has_threads || has_aio_context())) {
		*what = "a file opened with O_DIRECT";
		return direct;
	}
	return -1;
}
