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
#include "util/units.h"
#include "util/wait.h"

/* After which the measurement is begun alone; the peer's own limit is as long unless the user says otherwise. */
#define MOST_MS 50000

int start_gate_pass(void)
{
	const char *text = getenv(START_GATE_VARIABLE);
	struct pollfd gate = {.events = POLLIN};
	char word = START_GATE_READY;
	uint64_t fd;
	int ret;

	unsetenv(START_GATE_VARIABLE);
	if (!text || units_parse_u64(text, 0, 1024, &fd) ||
	    send((int)fd, &word, 1, MSG_NOSIGNAL) < 0) /* also: it is no socket */
		return 0;
	gate.fd = (int)fd;
	ret = wait_fds(&gate, 1, deadline_in_ms(MOST_MS));
	word = START_GATE_BEGAN;
	(void)!send(gate.fd, &word, 1, MSG_NOSIGNAL);
	close(gate.fd);
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
