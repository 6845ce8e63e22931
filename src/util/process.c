// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See process.h. */
#include "util/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/log.h"

#define LEAST_KIB 128 /* of a stack, with which all programs are tested */

void stdio_guard(void)
{
	/* open() returns the lowest free number. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
	}
}

static int first_error; /* the stream itself only keeps that there was one */

int stdio_check(int ret)
{
	if (ret < 0 && !first_error)
		first_error = errno;
	return ret;
}

/* 0 or -errno. */
static int flush(FILE *out)
{
	if (fflush(out))
		return -errno;
	if (!ferror(out))
		return 0;
	return first_error ? -first_error : errno ? -errno : -EIO;
}

int stdio_status(void)
{
	/* If a write failed before, errno is its reason: what was printed after it is only in the buffer. */
	const int err = flush(stdout);

	if (!err)
		return EXIT_STATUS_OK;
	log_error("cannot write to stdout: %s", strerror(-err));
	return EXIT_STATUS_FAILURE;
}

int stdio_flush_results(FILE *out)
{
	const int err = flush(out);

	if (err)
		log_error("cannot write the results to stdout: %s", strerror(-err));
	return err;
}

void descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

int stack_check(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= LEAST_KIB << 10)
		return 0;
	log_error("the stack is limited to %llu KiB (ulimit -s), and at least %d are needed",
		  (unsigned long long)(limit.rlim_cur >> 10), LEAST_KIB);
	return -ENOMEM;
}
