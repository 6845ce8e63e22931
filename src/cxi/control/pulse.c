// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See pulse.h. */
#include "cxi/control/pulse.h"

#define QUICK_BYTES (32ULL << 20) /* a shorter step ends before the first ALIVE is due */

static void *beat(void *argument)
{
	struct cxi_pulse *pulse = argument;

	/* The channel's owner detects and reports a broken connection. */
	while (cxi_watcher_pause(&pulse->watcher)) {
		if (pthread_mutex_trylock(&pulse->owned))
			continue;
		(void)cxi_channel_sign(pulse->channel);
		pthread_mutex_unlock(&pulse->owned);
	}
	return NULL;
}

void cxi_pulse_start(struct cxi_pulse *pulse, struct cxi_channel *channel, uint64_t bytes)
{
	*pulse = (struct cxi_pulse){.channel = channel, .watcher.end_fd = -1};
	if (bytes < QUICK_BYTES)
		return;
	pthread_mutex_init(&pulse->owned, NULL);
	pthread_mutex_lock(&pulse->owned);
	cxi_watcher_start(&pulse->watcher, beat, pulse);
}

void cxi_pulse_stop(struct cxi_pulse *pulse)
{
	if (!cxi_watcher_is_on(&pulse->watcher))
		return;
	cxi_watcher_stop(&pulse->watcher);
	pthread_mutex_unlock(&pulse->owned);
	pthread_mutex_destroy(&pulse->owned);
}
