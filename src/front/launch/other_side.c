// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `perftest other_side`: a program as a server, on the host where `perftest --ssh` starts it. Says on stdout when the
 * server listens and where; then stdout is the server's. Ends it when stdin ends.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "front/command.h"
#include "front/launch/child.h"
#include "front/launch/remote.h"
#include "front/launch/ssh.h"
#include "net/wakeup.h"
#include "util/log.h"
#include "util/process.h"
#include "util/stop.h"
#include "util/wait.h"

#define LOOK_MS	  10   /* until it listens */
#define REST_MS	  1000 /* then nothing disturbs what is measured */
#define POLITE_MS 2000 /* between SIGTERM and SIGKILL, and after it */

/* SSH_CONNECTION: the client's address and port, the server's address and port. */
static void listening_report(const struct child *child)
{
	const char *connection = getenv("SSH_CONNECTION");
	char address[SSH_ADDRESS_SIZE] = "";

	if (!connection || sscanf(connection, "%*s %*s " SSH_ADDRESS_FORMAT, address) != 1)
		snprintf(address, sizeof(address), "-");
	printf(SSH_LISTENS "\n", PACKAGE_VERSION, child->port, address);
	fflush(stdout);
}

/* Until it has ended. Returns its exit status. */
static int server_watch(struct child *child)
{
	struct pollfd fds[CHILD_FDS];
	bool said = false;
	int status;

	while (!child_ended(child, &status)) {
		child_read(child);
		if (!said && child_listens(child)) {
			listening_report(child);
			said = true;
		}
		if (stop_requested() && !child->asked)
			child_end(child, SIGTERM, POLITE_MS);
		wait_once(fds, child_poll_fds(child, fds),
			  1000000LL *
				  (said && !stop_requested() && child->ends[CHILD_ERRORS] >= 0 ? REST_MS : LOOK_MS));
	}
	if (status == CHILD_STAYS)
		log_error("the server does not end");
	if (WIFSIGNALED(status) && child->asked != SIGKILL && WTERMSIG(status) != child->asked)
		log_error("signal %d (%s) has ended the server", WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_STATUS_FAILURE;
}

int other_side_main(int argc, char **argv)
{
	struct ssh_params params = {0};
	struct child child;
	int ret;

	if (!ssh_parse(&params, argc, argv, &ret))
		return ret;
	if (stop_install())
		return EXIT_STATUS_FAILURE;
	wakeup_block_signals();
	child_init(&child);
	child.port = params.port;
	if (params.port && child_listens(&child)) {
		log_error("port %u is in use (--port)", params.port);
		return EXIT_STATUS_FAILURE;
	}
	if (remote_watch_stdin(true))
		return EXIT_STATUS_FAILURE;
	ret = child_start(&child, &params.program, NULL, params.port);
	if (ret) {
		log_error("cannot start %s: %s", params.program.name, strerror(-ret));
		return EXIT_STATUS_FAILURE;
	}
	ret = server_watch(&child);
	child_close(&child);
	return ret;
}
