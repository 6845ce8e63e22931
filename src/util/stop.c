// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Has the user asked the run to end? Installed by session, looked at by loops and by every wait. */
#include "util/stop.h"

#include <errno.h>
#include <stddef.h>

volatile sig_atomic_t stop_flag;

static void signal_note(int number)
{
	stop_flag = number;
}

int stop_install(void)
{
	struct sigaction note = {.sa_handler = signal_note};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigemptyset(&note.sa_mask);
	sigemptyset(&ignore.sa_mask);
	if (sigaction(SIGINT, &note, NULL) || sigaction(SIGTERM, &note, NULL) || sigaction(SIGPIPE, &ignore, NULL))
		return -errno;
	return 0;
}
