// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --mmap, --mmap-offset. See kinds.h. */
#include "memory/kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/arith.h"
#include "util/log.h"
#include "util/stop.h"

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

/* Those that are mapped, each with the next one in its private member. Read by the signal handler. */
static struct buffer *mapped;
static struct sigaction previous_action;

static const struct buffer *mapped_at(const uint8_t *addr)
{
	const struct buffer *buffer = mapped;

	while (buffer && (addr < buffer->addr || addr >= buffer->addr + buffer->length))
		buffer = buffer->private;
	return buffer;
}

/* Another process has done so. */
static void report_shortened(const struct buffer *buffer)
{
	char why[LOG_TEXT_SIZE];

	snprintf(why, sizeof(why),
		 "%s (--mmap) was shortened during the test: enlarge it with 'truncate -s %llu', and leave its size as "
		 "it is until the test has ended",
		 chosen.path, (unsigned long long)chosen.next);
	memory_copy_failed(buffer, why);
}

/*
 * What was cut off becomes memory without a file, and the test ends. The access that raised the signal is a copy to or
 * from the buffer, by this thread, which holds no lock of the C library: it may print.
 */
static void handle_bus_error(int number, siginfo_t *info, void *context)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uint8_t *at = info->si_addr;
	const struct buffer *buffer = info->si_code > 0 ? mapped_at(at) : NULL;
	const int saved_errno = errno;

	if (buffer) {
		report_shortened(buffer);
		stop_flag = number;
		at -= (uintptr_t)at % page;
		if (mmap(at, arith_round_up((uint64_t)(buffer->addr + buffer->length - at), page),
			 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			 0) != MAP_FAILED) {
			errno = saved_errno;
			return;
		}
	}
	if (previous_action.sa_flags & SA_SIGINFO)
		previous_action.sa_sigaction(number, info, context);
	else
		signal(number, SIG_DFL); /* the access is repeated, and ends the process */
}

/* Once: what other libraries install later passes on what is not theirs. */
static int catch_bus_errors(void)
{
	struct sigaction action = {.sa_sigaction = handle_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	static bool is_caught;

	if (!is_caught && sigaction(SIGBUS, &action, &previous_action))
		return -errno;
	is_caught = true;
	return 0;
}

static int mapped_file_alloc(struct buffer *buffer, struct ibv_context *context)
{
	const uint64_t bytes = arith_round_up(buffer->length, (uint64_t)sysconf(_SC_PAGESIZE));
	int fd = open(chosen.path, O_RDWR | O_CLOEXEC), err;
	void *pages = MAP_FAILED;

	(void)context;
	err = fd < 0 ? -errno : check_end(fd, chosen.path, chosen.next, bytes);
	if (!err)
		err = catch_bus_errors();
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
	buffer->private = mapped;
	mapped = buffer;
	chosen.next += bytes;
	return 0;
}

/* Only the peer may have met the end of the file. */
static void mapped_file_check(const struct buffer *buffer)
{
	struct stat status;

	if (!stat(chosen.path, &status) && S_ISREG(status.st_mode) && (uint64_t)status.st_size < chosen.next)
		report_shortened(buffer);
}

static void mapped_file_release(struct buffer *buffer)
{
	const uint64_t bytes = arith_round_up(buffer->length, (uint64_t)sysconf(_SC_PAGESIZE));

	mapped = NULL; /* all are released together, after the test */
	munmap(buffer->addr, bytes);
	chosen.next -= bytes; /* all buffers are freed before those of the next client are mapped */
}

const struct memory_ops memory_mapped_file = {
	.name = "mapped file",
	.is_pooled = true,
	.alloc = mapped_file_alloc,
	.free = mapped_file_release,
	.check = mapped_file_check,
	.copy = memory_host_copy,
};
