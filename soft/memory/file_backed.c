// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registers memory that is shared already, by a file or a SysV segment. The file is found among the program's
 * descriptors or by its name, and passed to peers unchanged; a SysV segment by its id. Shared anonymous memory has
 * neither, and is refused. Called by mr_backing.c.
 */
#include "config.h"

#include "memory/pages.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "host/mapping.h"

#define HUGE_PAGE_MAX (1ull << 30)
#define HUGE_SHIFT    26 /* MFD_HUGE_SHIFT, missing from C library headers of 2022 */

/* What /proc/self/maps shows of a mapping of this file. */
static int file_show(int fd, struct mapping *shown)
{
	void *page = mapping_make(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	struct maps maps;
	int err;

	if (!page)
		return -errno;
	err = soft_proc_maps_open(&maps);
	if (!err) {
		err = soft_proc_maps_find(&maps, (uint64_t)(uintptr_t)page, shown);
		soft_proc_maps_close(&maps);
	}
	mapping_drop(page, PAGE);
	return err;
}

/*
 * On an overlay over several file systems, such as the root of a container, fstat() names another device (and may name
 * another inode) than /proc/self/maps. A file of the same name is mapped there to see what it shows of it.
 */
static bool file_matches(int fd, const struct mapping *mapping)
{
	struct mapping shown;
	char path[32], name[PATH_MAX];
	struct stat status;
	ssize_t length;

	if (fstat(fd, &status))
		return false;
	if (status.st_ino == mapping->inode && status.st_dev == mapping->device)
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = S_ISREG(status.st_mode) ? readlink(path, name, sizeof(name) - 1) : -1;
	if (length < 0)
		return false;
	name[length] = '\0';
	return strcmp(name, mapping->name) == 0 && !file_show(fd, &shown) && shown.inode == mapping->inode &&
	       shown.device == mapping->device;
}

/* A descriptor of the mapped file: one that the program still has, or by the file's name. */
static int file_find(const struct mapping *mapping, bool needs_write, int *out)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd = -1;

	while (directory && fd < 0 && (entry = readdir(directory))) {
		int candidate = atoi(entry->d_name);
		int mode;

		if (entry->d_name[0] == '.' || candidate == dirfd(directory) || !file_matches(candidate, mapping))
			continue;
		mode = fcntl(candidate, F_GETFL);
		if (mode >= 0 && (mode & O_ACCMODE) == (needs_write ? O_RDWR : mode & O_ACCMODE) &&
		    (mode & O_ACCMODE) != O_WRONLY)
			fd = fcntl(candidate, F_DUPFD_CLOEXEC, 0);
	}
	if (directory)
		closedir(directory);
	if (fd < 0 && mapping->name[0] == '/') {
		fd = open(mapping->name, (needs_write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && !file_matches(fd, mapping)) {
			close(fd);
			fd = -1;
		}
	}
	if (fd < 0)
		return -EOPNOTSUPP;
	*out = fd;
	return 0;
}

int soft_file_backed_take(const struct mapping *mapping, uint64_t start, bool needs_write, struct mr_file *file)
{
	struct stat status;
	int err;

	file->offset = mapping->offset + (start - mapping->start);
	file->fd = file->sysv_id = -1;
	if (strncmp(mapping->name, "/SYSV", 5) == 0) {
		file->sysv_id = (int)mapping->inode; /* /proc shows the id as the inode */
		return 0;
	}
	err = file_find(mapping, needs_write, &file->fd);
	if (err)
		return err;
	file->page_size = PAGE;
	if (fstat(file->fd, &status) == 0 && (uint64_t)status.st_blksize > PAGE &&
	    (uint64_t)status.st_blksize <= HUGE_PAGE_MAX && (status.st_blksize & (status.st_blksize - 1)) == 0)
		file->page_size = (uint64_t)status.st_blksize;
	return 0;
}

/* The size of the huge pages at addr, to which munmap and the like must be aligned: read from smaps. */
static uint64_t huge_page_size(uint64_t addr)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[512];
	bool is_here = false;
	uint64_t size = 0;

	while (file && !size && fgets(line, sizeof(line), file)) {
		unsigned long start, end, kilobytes;

		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			is_here = addr >= start && addr < end;
		else if (is_here && sscanf(line, "KernelPageSize: %lu kB", &kilobytes) == 1)
			size = (uint64_t)kilobytes << 10;
	}
	if (file)
		fclose(file);
	return size;
}

/*
 * Private huge pages: needs the same number again during the copy. The file stays mapped after deregistration; it is
 * the program's memory now, and a later registration finds it as a shared mapping with a descriptor.
 */
int soft_file_backed_take_huge(const struct mapping *mapping, uint64_t start, struct mr_file *file)
{
	uint64_t page_size = huge_page_size(mapping->start);
	size_t length = mapping->end - mapping->start;
	void *copy;
	int err;
	int fd;

	if (!page_size)
		return -EOPNOTSUPP;
	fd = memfd_create("perftest-soft-huge",
			  MFD_CLOEXEC | MFD_HUGETLB | ((unsigned int)__builtin_ctzll(page_size) << HUGE_SHIFT));
	if (fd < 0)
		return -errno;
	copy = ftruncate(fd, (off_t)length) ? NULL
					    : mapping_make(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!copy) {
		err = -errno;
		soft_error("memory at %p cannot be registered: it is copied into %llu more huge pages of %llu KiB: %s",
			   move_at(mapping->start), (unsigned long long)(length / page_size),
			   (unsigned long long)page_size >> 10, strerror(-err));
		goto err_close;
	}
	err = soft_page_move_share_huge(mapping, fd, copy);
	mapping_drop(copy, length);
	if (err)
		goto err_close;
	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* `fd` itself stays open, for file_find() */
	if (file->fd < 0)
		return -errno;
	file->sysv_id = -1;
	file->offset = start - mapping->start;
	file->page_size = page_size;
	return 0;

err_close:
	close(fd);
	return err;
}
