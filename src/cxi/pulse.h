/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who says that this side is alive while its only thread fills, registers, checks or copies gigabytes? A second thread,
 * to which the channel is lent for as long as that lasts. It is its owner's otherwise.
 */
#ifndef CXI_PULSE_H
#define CXI_PULSE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cxi/channel.h"
#include "cxi/watcher.h"

struct cxi_pulse {
	struct cxi_channel *channel;
	pthread_mutex_t owned; /* the channel; its owner holds it but where it is lent */
	struct cxi_watcher watcher;
};

/*
 * bytes: of the memory that a step goes through. There is no thread where a step can't last, nor where there is
 * neither thread nor descriptor for it: then the peer's --timeout has to be long enough.
 */
void cxi_pulse_start(struct cxi_pulse *pulse, struct cxi_channel *channel, uint64_t bytes);
void cxi_pulse_stop(struct cxi_pulse *pulse);

/* Until it is taken back, which waits for a message of a few bytes at most. */
static inline void cxi_pulse_lend(struct cxi_pulse *pulse)
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
