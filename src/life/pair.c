// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See pair.h. */
#include <config.h>

#include "life/pair.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "life/life.h"
#include "util/log.h"
#include "util/stop.h"

/* The group prints the results. */
static void silence_stdout(void)
{
	const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)dup2(fd, STDOUT_FILENO);
	close(fd);
	clearerr(stdout); /* the group reports what could not be written */
}

pid_t pair_fork(int *fd)
{
	const pid_t parent = getpid();
	int fds[2], ret = 0;
	pid_t pid = -1;

	fflush(stdout);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds)) {
		ret = -errno;
	} else {
		pid = fork();
		if (pid < 0) {
			ret = -errno;
			close(fds[0]);
			close(fds[1]);
		}
	}
	if (ret)
		return log_fail(ret, "cannot start the process of a pair: %s", strerror(-ret));
	/* Without the group nothing starts it, and its results are not printed. */
	if (!pid)
		stop_with_parent(parent, SIGTERM);
	(void)setpgid(pid, pid); /* whichever of the two comes first */
	close(fds[pid ? 1 : 0]);
	*fd = fds[pid ? 0 : 1];
	if (pid)
		return pid;
	/* It may then write to a terminal even if that stops background processes ("stty tostop"). */
	signal(SIGTTOU, SIG_IGN);
	silence_stdout();
	log_forget_warnings(0); /* the group's */
	return 0;
}

enum exit_status pair_await(pid_t pid, int *signal_number)
{
	int status;

	*signal_number = 0;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_STATUS_FAILURE;
	if (WIFSIGNALED(status))
		*signal_number = WTERMSIG(status);
	return WIFEXITED(status) ? (enum exit_status)WEXITSTATUS(status) : EXIT_STATUS_FAILURE;
}

int pair_send(int fd, enum member_message_type type, const char *reason, bool waits)
{
	struct member_message message = {.type = type};

	snprintf(message.reason, sizeof(message.reason), "%s", reason);
	return send(fd, &message, sizeof(message), MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT)) < 0 ? -errno : 0;
}

int pair_receive(int fd, struct member_message *message)
{
	const ssize_t got = recv(fd, message, sizeof(*message), MSG_DONTWAIT);

	if (got == (ssize_t)sizeof(*message))
		return 0;
	return got < 0 && (errno == EAGAIN || errno == EINTR) ? -EAGAIN : -ECONNRESET;
}

static const char group_is_gone[] = "the process that coordinates this test is gone";

int pair_report_gone(int error)
{
	if (error != -EINTR)
		log_error("%s", group_is_gone);
	return error;
}

void pair_end_reason(int fd, char *reason, size_t size)
{
	struct member_message message;
	int ret;

	do
		ret = pair_receive(fd, &message);
	while (!ret && message.type != GROUP_ENDS);
	snprintf(reason, size, "%s", !ret ? message.reason : ret == -EAGAIN ? LIFE_STOPPED : group_is_gone);
}
