// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See starter.h. */
#include "util/starter.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/log.h"
#include "util/wait.h"

/* After which the measurement is begun alone; the peer's own limit is as long unless the user says otherwise. */
#define MOST_MS 50000

static int fd_of(const char *text)
{
	char *end;
	const long fd = strtol(text, &end, 10);

	return *end || end == text || fd < 0 || fd > 1024 ? -1 : (int)fd;
}

int start_gate_pass(void)
{
	const char *text = getenv(START_GATE_VARIABLE);
	const int fd = text ? fd_of(text) : -1;
	struct pollfd gate = {.fd = fd, .events = POLLIN};
	char word = START_GATE_READY;
	int ret;

	unsetenv(START_GATE_VARIABLE);
	if (fd < 0 || send(fd, &word, 1, MSG_NOSIGNAL) < 0) /* also: it is no socket */
		return 0;
	ret = wait_fds(&gate, 1, deadline_in_ms(MOST_MS));
	word = START_GATE_BEGAN;
	(void)!send(fd, &word, 1, MSG_NOSIGNAL);
	close(fd);
	return ret == -EINTR ? ret : 0;
}

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
