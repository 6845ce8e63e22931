// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --mmap, --mmap-offset. See kinds.h. */
#include "memory/kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/arith.h"
#include "util/log.h"

static struct {
	const char *path;
	uint64_t next; /* offset of the next buffer */
} chosen;

int mapped_file_choose(const char *path, uint64_t offset)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (offset % page)
		return log_fail(-EINVAL, "--mmap-offset %llu is not at the start of a page: give a multiple of %llu",
				(unsigned long long)offset, (unsigned long long)page);
	if (access(path, R_OK | W_OK)) {
		const int err = -errno;

		return log_fail(err, "--mmap %s: %s; the test needs to read and write it", path, strerror(-err));
	}
	chosen.path = path;
	chosen.next = offset;
	return 0;
}

/* Touching a page beyond the end of a regular file raises SIGBUS; the size of a device is unknown. */
static int check_end(int fd, const char *path, uint64_t offset, uint64_t bytes)
{
	struct stat status;

	if (fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size >= offset + bytes)
		return 0;
	return log_fail(-EMSGSIZE,
			"--mmap %s has %llu bytes, but the buffers need %llu from offset %llu on: enlarge it with "
			"'truncate -s %llu'",
			path, (unsigned long long)status.st_size, (unsigned long long)bytes, (unsigned long long)offset,
			(unsigned long long)(offset + bytes));
}

static int mapped_file_alloc(struct buffer *buffer, struct ibv_context *context)
{
	const uint64_t bytes = arith_round_up(buffer->length, (uint64_t)sysconf(_SC_PAGESIZE));
	int fd = open(chosen.path, O_RDWR | O_CLOEXEC), err;
	void *pages = MAP_FAILED;

	(void)context;
	err = fd < 0 ? -errno : check_end(fd, chosen.path, chosen.next, bytes);
	if (!err) {
		pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)chosen.next);
		err = pages == MAP_FAILED ? -errno : 0;
	}
	if (err && err != -EMSGSIZE)
		log_error("--mmap %s, %llu bytes at offset %llu: %s", chosen.path, (unsigned long long)bytes,
			  (unsigned long long)chosen.next, strerror(-err));
	if (fd >= 0)
		close(fd);
	if (err)
		return err;
	buffer->addr = pages;
	chosen.next += bytes;
	return 0;
}

static void mapped_file_release(struct buffer *buffer)
{
	const uint64_t bytes = arith_round_up(buffer->length, (uint64_t)sysconf(_SC_PAGESIZE));

	munmap(buffer->addr, bytes);
	chosen.next -= bytes; /* all buffers are freed before those of the next client are mapped */
}

const struct memory_ops memory_mapped_file = {
	.name = "mapped file",
	.is_pooled = true,
	.alloc = mapped_file_alloc,
	.free = mapped_file_release,
	.copy = memory_host_copy,
};
