// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Wakes a program that sleeps on a completion channel. The thread that stores a completion, here or in another process,
 * checks whether the CQ is armed and writes to the eventfd of its channel. A full fence orders the store of the
 * completion before the check of `armed`, and another orders arming before the program's next poll: without them both
 * sides can miss each other, and the program sleeps forever. Only CQs with a channel pay for this.
 */
#include "data/notify.h"

#include <unistd.h>

#include "host/peer.h"
#include "host/service.h"
#include "host/wire.h"

bool soft_channel_write(int fd)
{
	const uint64_t one = 1;

	return fd >= 0 && write(fd, &one, sizeof(one)) == sizeof(one);
}

/* -1: there is no channel. Does not trust our own row, because others can write to it, too. */
static int channel_fd(struct soft_peer *peer, const struct cq_row *row)
{
	const struct core_cq *cq;

	if (peer != &soft_self_peer)
		return soft_peer_channel(peer, row->channel);
	cq = soft_self.cqs[row - soft_self.cq_rows];
	return cq && cq->soft.base.channel ? cq->soft.base.channel->fd : -1;
}

void soft_channel_notify(struct soft_peer *peer, struct cq_row *row, bool is_solicited)
{
	uint32_t armed;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	armed = __atomic_load_n(&row->armed, __ATOMIC_RELAXED);
	do {
		if (armed == CQ_ARMED_NOT || (armed == CQ_ARMED_SOLICITED && !is_solicited))
			return;
	} while (!__atomic_compare_exchange_n(&row->armed, &armed, CQ_ARMED_NOT, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_RELAXED));
	__atomic_add_fetch(&row->events, 1, __ATOMIC_RELEASE);
	if (!soft_channel_write(channel_fd(peer, row)) && peer != &soft_self_peer)
		soft_notice_send(peer, NOTICE_EVENT, (uint32_t)(row - soft_peer_cq(peer, 0)), 0);
}

/*
 * An initiator was killed, perhaps between disarming the queue and writing the event. A spurious event does no harm:
 * the program polls and finds nothing.
 */
void soft_channel_rouse(struct core_cq *cq)
{
	struct cq_row *row = cq->row;

	if (!cq->soft.base.channel || __atomic_load_n(&row->armed, __ATOMIC_ACQUIRE) != CQ_ARMED_NOT)
		return;
	__atomic_add_fetch(&row->events, 1, __ATOMIC_RELEASE);
	soft_channel_write(cq->soft.base.channel->fd);
}

/* The same, if there is something to poll. The queue is not destroyed concurrently. */
void soft_channel_rouse_pending(struct core_cq *cq)
{
	uint32_t head = __atomic_load_n(&cq->head, __ATOMIC_RELAXED);

	if (!cq->soft.base.channel || __atomic_load_n(&cq->ring[head & cq->mask].stamp, __ATOMIC_ACQUIRE) != head + 1)
		return;
	soft_channel_notify(&soft_self_peer, cq->row, true /* however it is armed */);
	soft_channel_rouse(cq);
}
