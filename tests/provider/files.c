// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which calls does the rig answer in the kernel's place? open, write, ioctl, mmap and close of /dev/infiniband/uverbsN;
 * stat, so that libibverbs finds it; and netlink's socket, so that it reads sysfs (SYSFS_PATH) instead. Everything else
 * goes on to the kernel. An open device is really /dev/null, because libibverbs compares the number of the character
 * device.
 */
#define _GNU_SOURCE 1 /* memfd_create() */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rdma/rdma_user_ioctl.h>

#include "rig.h"

#define DEVICES	    "/dev/infiniband/uverbs"
#define MAX_FDS	    1024
#define MAX_REGIONS 1024

static bool is_ours[MAX_FDS];
static struct rig_region *regions[MAX_REGIONS];

static bool ours(int fd)
{
	return fd >= 0 && fd < MAX_FDS && is_ours[fd];
}

static int open_path(int dir, const char *path, int flags, mode_t mode)
{
	int fd;

	if (strncmp(path, DEVICES, strlen(DEVICES)) != 0)
		return (int)syscall(SYS_openat, dir, path, flags, mode);
	if (!rig_open()) {
		errno = ENODEV;
		return -1;
	}
	fd = (int)syscall(SYS_openat, dir, "/dev/null", flags, mode);
	if (fd >= MAX_FDS) {
		syscall(SYS_close, fd);
		errno = EMFILE;
		return -1;
	}
	if (fd >= 0)
		is_ours[fd] = true;
	return fd;
}

static mode_t mode_of(int flags, va_list arguments)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(arguments, int) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list arguments;
	int fd;

	va_start(arguments, flags);
	fd = open_path(AT_FDCWD, path, flags, mode_of(flags, arguments));
	va_end(arguments);
	return fd;
}

int open64(const char *path, int flags, ...)
{
	va_list arguments;
	int fd;

	va_start(arguments, flags);
	fd = open_path(AT_FDCWD, path, flags | O_LARGEFILE, mode_of(flags, arguments));
	va_end(arguments);
	return fd;
}

int stat(const char *restrict path, struct stat *restrict status)
{
	if (strncmp(path, DEVICES, strlen(DEVICES)) == 0)
		path = "/dev/null";
	return fstatat(AT_FDCWD, path, status, 0);
}

int close(int fd)
{
	if (ours(fd))
		is_ours[fd] = false;
	return (int)syscall(SYS_close, fd);
}

ssize_t write(int fd, const void *buffer, size_t bytes)
{
	return ours(fd) ? rig_command(buffer, bytes) : syscall(SYS_write, fd, buffer, bytes);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	return ours(fd) && request == RDMA_VERBS_IOCTL ? rig_own_command(argument)
						       : (int)syscall(SYS_ioctl, fd, request, argument);
}

int socket(int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == NETLINK_RDMA) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	return (int)syscall(SYS_socket, domain, type, protocol);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	struct rig_region *region;
	void *start;

	if (!ours(fd))
		return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset); // NOLINT
	rig_lock();
	region = rig_region_at((uint64_t)offset);
	if (!region && rig_provider->may_map && rig_provider->may_map((uint64_t)offset))
		region = rig_region_add((uint64_t)offset, bytes);
	rig_unlock();
	if (!region || bytes > region->bytes) {
		rig_fault("%zu bytes mapped at offset %#llx, where nothing is", bytes, (unsigned long long)offset);
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (region->is_trapped)
		protection = PROT_READ;
	start = (void *)syscall(SYS_mmap, address, bytes, protection, flags, region->fd, 0); // NOLINT
	if (start != MAP_FAILED && region->is_trapped && !trap_add(start, bytes, region)) {
		syscall(SYS_munmap, start, bytes);
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return start;
}

int munmap(void *start, size_t bytes)
{
	trap_remove(start);
	return (int)syscall(SYS_munmap, start, bytes);
}

void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return mmap(address, bytes, protection, flags, fd, offset);
}

struct rig_region *rig_region_at(uint64_t offset)
{
	for (unsigned i = 0; i < MAX_REGIONS; i++) {
		if (regions[i] && regions[i]->offset == offset)
			return regions[i];
	}
	return NULL;
}

struct rig_region *rig_region_add(uint64_t offset, uint64_t bytes)
{
	struct rig_region *region = calloc(1, sizeof(*region));

	if (!region)
		return NULL;
	bytes = (bytes + 4095) / 4096 * 4096;
	region->offset = offset;
	region->bytes = bytes;
	region->fd = memfd_create("provider-rig", MFD_CLOEXEC);
	if (region->fd < 0 || ftruncate(region->fd, (off_t)bytes) != 0)
		goto err;
	region->view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, region->fd, 0);
	if (region->view == MAP_FAILED)
		goto err;
	for (unsigned i = 0; i < MAX_REGIONS; i++) {
		if (!regions[i])
			return regions[i] = region;
	}
	munmap(region->view, bytes);
err:
	close(region->fd);
	free(region);
	return NULL;
}

void rig_region_remove(uint64_t offset)
{
	for (unsigned i = 0; i < MAX_REGIONS; i++) {
		if (!regions[i] || regions[i]->offset != offset)
			continue;
		munmap(regions[i]->view, regions[i]->bytes);
		close(regions[i]->fd);
		free(regions[i]);
		regions[i] = NULL;
	}
}
