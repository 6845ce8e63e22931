// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See pulse.h. */
#include "cxi/pulse.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LOOK_MS	    100		  /* between two looks at whether a sign is due */
#define QUICK_BYTES (32ULL << 20) /* a step over less is over before the first sign is due */

static void *beat(void *argument)
{
	struct cxi_pulse *pulse = argument;
	struct pollfd fd = {.fd = pulse->end_fd, .events = POLLIN};

	/* A connection that broke is found, and reported, by who owns the channel. */
	while (poll(&fd, 1, LOOK_MS) == 0) {
		if (pthread_mutex_trylock(&pulse->owned))
			continue;
		(void)cxi_channel_sign(pulse->channel);
		pthread_mutex_unlock(&pulse->owned);
	}
	return NULL;
}

void cxi_pulse_start(struct cxi_pulse *pulse, struct cxi_channel *channel, uint64_t bytes)
{
	sigset_t all, saved;

	*pulse = (struct cxi_pulse){.channel = channel, .end_fd = -1};
	if (bytes < QUICK_BYTES)
		return;
	pulse->end_fd = eventfd(0, EFD_CLOEXEC);
	if (pulse->end_fd < 0)
		return;
	pthread_mutex_init(&pulse->owned, NULL);
	pthread_mutex_lock(&pulse->owned);
	/* The user's stop is for the thread that works. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	if (pthread_create(&pulse->thread, NULL, beat, pulse)) {
		close(pulse->end_fd);
		pulse->end_fd = -1;
	}
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

void cxi_pulse_stop(struct cxi_pulse *pulse)
{
	if (pulse->end_fd < 0)
		return;
	(void)eventfd_write(pulse->end_fd, 1);
	pthread_join(pulse->thread, NULL);
	pthread_mutex_unlock(&pulse->owned);
	pthread_mutex_destroy(&pulse->owned);
	close(pulse->end_fd);
	pulse->end_fd = -1;
}
