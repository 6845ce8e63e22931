// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --mmap, --mmap-offset. See mapped_file.h. */
#include "memory/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/host.h"
#include "util/arith.h"
#include "util/log.h"

static struct {
	const char *path;
	uint64_t next; /* offset of the next buffer */
} chosen;

int mapped_file_choose(const char *path, uint64_t offset)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (offset % page) {
		log_error("--mmap-offset %llu is not at the start of a page: give a multiple of %llu",
			  (unsigned long long)offset, (unsigned long long)page);
		return -EINVAL;
	}
	if (access(path, R_OK | W_OK)) {
		const int err = -errno;

		log_error("--mmap %s: %s; the test needs to read and write it", path, strerror(-err));
		return err;
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
	log_error("--mmap %s has %llu bytes, but the buffers need %llu from offset %llu on: enlarge it with 'truncate "
		  "-s %llu'",
		  path, (unsigned long long)status.st_size, (unsigned long long)bytes, (unsigned long long)offset,
		  (unsigned long long)(offset + bytes));
	return -EMSGSIZE;
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
	.copy_in = memory_host_copy_in,
	.copy_out = memory_host_copy_out,
};
