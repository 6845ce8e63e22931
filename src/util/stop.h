/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SIGINT, SIGTERM and SIGHUP set a flag; loops and waits check it and end the run in order, with the partial result
 * printed. SIGHUP does not if the process was started with it ignored (nohup).
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

extern volatile sig_atomic_t stop_flag; /* the number of the signal, 0 if there was none, or it was handled */
extern volatile sig_atomic_t stop_seen; /* that of the last one, even if it was handled: the process is to end */

/* Installs a handler without SA_RESTART, and unblocks the signal; before there are threads. 0 or -errno, reported. */
int stop_handle(int number, void (*handler)(int));
/* Installs the handlers without SA_RESTART, so that calls return EINTR; ignores SIGPIPE. 0 or -errno, reported. */
int stop_install(void);

/* Adds these signals to a set, to block them; removes them from one. */
void stop_add_to(sigset_t *set);
void stop_remove_from(sigset_t *set);

/* In a forked process: gets the signal when its parent ends, however that does; ends at once if it has. */
void stop_with_parent(pid_t parent, int number);

static inline bool stop_requested(void)
{
	return stop_flag != 0;
}
