// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See start_gate.h. */
#include "util/start_gate.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

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
