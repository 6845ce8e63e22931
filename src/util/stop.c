// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Has the user asked the run to end? Installed by session, checked by loops and by every wait. */
#include "util/stop.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "util/log.h"

volatile sig_atomic_t stop_flag;

static void signal_note(int number)
{
	stop_flag = number;
}

int stop_handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};
	int err;

	sigemptyset(&action.sa_mask);
	if (!sigaction(number, &action, NULL))
		return 0;
	err = -errno;
	log_error("cannot install signal handlers: %s", strerror(-err));
	return err;
}

int stop_install(void)
{
	int err = stop_handle(SIGINT, signal_note);

	if (!err)
		err = stop_handle(SIGTERM, signal_note);
	if (!err)
		err = stop_handle(SIGPIPE, SIG_IGN);
	/* Beyond ulimit -f a write fails, which is told of. */
	return err ? err : stop_handle(SIGXFSZ, SIG_IGN);
}
