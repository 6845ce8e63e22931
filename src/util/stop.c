// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Has the user asked the run to end? Installed by session, checked by loops and by every wait. */
#include "util/stop.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "util/log.h"
#include "util/process.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

volatile sig_atomic_t stop_flag, stop_seen;

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

static void signal_note(int number)
{
	stop_flag = stop_seen = number;
}

int stop_handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};
	sigset_t set;
	int err;

	sigemptyset(&action.sa_mask);
	sigemptyset(&set);
	sigaddset(&set, number);
	/* Whatever started this process may have blocked it. */
	if (!sigaction(number, &action, NULL) && !sigprocmask(SIG_UNBLOCK, &set, NULL))
		return 0;
	err = -errno;
	log_error("cannot install signal handlers: %s", strerror(-err));
	return err;
}

/* As nohup(1) leaves it. */
static bool hangup_is_ignored(void)
{
	struct sigaction action;

	return !sigaction(SIGHUP, NULL, &action) && action.sa_handler == SIG_IGN;
}

int stop_install(void)
{
	int err = 0;

	for (size_t i = 0; i < COUNT(stops) && !err; i++)
		if (stops[i] != SIGHUP || !hangup_is_ignored())
			err = stop_handle(stops[i], signal_note);
	if (!err)
		err = stop_handle(SIGPIPE, SIG_IGN);
	/* Beyond ulimit -f a write fails, which is reported. */
	return err ? err : stop_handle(SIGXFSZ, SIG_IGN);
}

void stop_add_to(sigset_t *set)
{
	for (size_t i = 0; i < COUNT(stops); i++)
		sigaddset(set, stops[i]);
}

void stop_remove_from(sigset_t *set)
{
	for (size_t i = 0; i < COUNT(stops); i++)
		sigdelset(set, stops[i]);
}

void stop_with_parent(pid_t parent, int number)
{
	(void)prctl(PR_SET_PDEATHSIG, number);
	if (getppid() != parent)
		_exit(EXIT_STATUS_FAILURE);
}
