/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Passes a signal that is not for the device's handler to the handler that was installed before. */
#ifndef SOFT_PASS_ON_H
#define SOFT_PASS_ON_H

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

#endif
