// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See ready.h. */
#include "util/ready.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/log.h"

static int notify(const char *path, const char *text)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	const size_t length = strlen(path);
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ssize_t sent;
	int error;

	if (fd < 0)
		return -errno;
	if (length >= sizeof(to.sun_path)) {
		close(fd);
		return -ENAMETOOLONG;
	}
	memcpy(to.sun_path, path, length);
	if (to.sun_path[0] == '@') /* abstract */
		to.sun_path[0] = '\0';
	sent = sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&to,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	error = sent < 0 ? -errno : 0;
	close(fd);
	return error;
}

void ready_notify(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	int ret;

	if (!path || !path[0])
		return;
	ret = notify(path, "READY=1");
	if (ret)
		log_warning("cannot say to %s (NOTIFY_SOCKET) that this server is ready: %s", path, strerror(-ret));
	unsetenv("NOTIFY_SOCKET");
}
