// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See input_file.h. */
#include "util/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "util/log.h"
#include "util/wait.h"

FILE *input_file_open(const char *path)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct pollfd fds = {.fd = fd, .events = POLLIN};
	FILE *file = NULL;
	int ret;

	if (fd < 0)
		return NULL;
	ret = wait_fds(&fds, 1, deadline_in_ms(WAIT_QUIET_MS));
	if (ret == -ETIMEDOUT) {
		log_info("waiting for a program that writes to %s", path);
		ret = wait_fds(&fds, 1, deadline_in_ms(-1));
	}
	/* From here on a read waits for what a slow writer has yet to write. */
	if (!ret && fcntl(fd, F_SETFL, 0))
		ret = -errno;
	if (!ret)
		file = fdopen(fd, "r");
	if (!file) {
		ret = ret ? ret : -errno;
		close(fd);
		errno = -ret;
	}
	return file;
}
