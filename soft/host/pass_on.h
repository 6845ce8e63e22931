/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Handlers of the device for faults, which pass those that are not its own to the handler before. */
#pragma once

#include <errno.h>
#include <signal.h>

static inline void soft_signal_pass_on(const struct sigaction *previous, int number, siginfo_t *info, void *context)
{
	if (previous->sa_flags & SA_SIGINFO) {
		previous->sa_sigaction(number, info, context);
	} else if (previous->sa_handler == SIG_DFL || previous->sa_handler == SIG_IGN) {
		signal(number, SIG_DFL); /* the instruction faults again and terminates the process */
		if (info->si_code <= 0)
			raise(number); /* sent by kill(2), not raised by an instruction */
	} else {
		previous->sa_handler(number);
	}
}

/* Installs the handler, again if the program has replaced it since. 0 or a negative errno. */
static inline int soft_signal_take(int number, void (*handle)(int, siginfo_t *, void *), struct sigaction *previous)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	struct sigaction current;

	if (sigaction(number, NULL, &current))
		return -errno;
	if (current.sa_flags & SA_SIGINFO && current.sa_sigaction == handle)
		return 0;
	*previous = current;
	return sigaction(number, &action, NULL) ? -errno : 0;
}
