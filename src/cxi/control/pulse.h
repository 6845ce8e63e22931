/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends ALIVE while the only thread fills, registers, checks or copies gigabytes. A second thread does that, to which
 * the channel is lent for this time. Otherwise the channel belongs to its owner.
 */
#ifndef CXI_PULSE_H
#define CXI_PULSE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cxi/control/channel.h"
#include "cxi/watcher.h"

struct cxi_pulse {
	struct cxi_channel *channel;
	pthread_mutex_t owned; /* protects the channel; held by its owner except while lent */
	struct cxi_watcher watcher;
};

/*
 * bytes: memory that a step processes. No thread is created if steps are short, or if there are no resources for it:
 * then the peer's --timeout must be long enough.
 */
void cxi_pulse_start(struct cxi_pulse *pulse, struct cxi_channel *channel, uint64_t bytes);
void cxi_pulse_stop(struct cxi_pulse *pulse);

/* Until cxi_pulse_take(), which waits at most for a message of a few bytes. */
static inline void cxi_pulse_release(struct cxi_pulse *pulse)
{
	if (cxi_watcher_is_on(&pulse->watcher))
		pthread_mutex_unlock(&pulse->owned);
}

static inline void cxi_pulse_take(struct cxi_pulse *pulse)
{
	if (cxi_watcher_is_on(&pulse->watcher))
		pthread_mutex_lock(&pulse->owned);
}

#endif
