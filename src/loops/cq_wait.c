// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sleeping on completion channels; see cq_wait.h. */
#define _GNU_SOURCE /* ppoll() */
#include "loops/cq_wait.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#include "loops/poll_monitor.h"

#define ACK_AT_ONCE 128

void cq_wait_add(struct cq_wait *cq_wait, struct ibv_comp_channel *channel, struct ibv_cq *cq)
{
	if (channel)
		cq_wait->channels[cq_wait->count++] = (struct cq_channel){.channel = channel, .cq = cq};
}

int cq_wait_arm(struct cq_wait *cq_wait)
{
	int armed = 0;

	for (unsigned i = 0; i < cq_wait->count; i++) {
		struct cq_channel *from = &cq_wait->channels[i];
		int err;

		if (from->armed)
			continue;
		err = ibv_req_notify_cq(from->cq, 0 /* any completion */);
		if (err)
			return -err;
		from->armed = true;
		armed = 1;
	}
	return armed;
}

static int cq_channel_take_event(struct cq_channel *from)
{
	struct ibv_cq *cq;
	void *context;
	int err;

	if (ibv_get_cq_event(from->channel, &cq, &context)) {
		err = errno ? -errno : -EIO;
		return err == -EAGAIN || err == -EINTR ? 0 : err;
	}
	from->armed = false;
	if (++from->unacked == ACK_AT_ONCE) {
		ibv_ack_cq_events(from->cq, from->unacked);
		from->unacked = 0;
	}
	return 0;
}

int cq_wait_sleep(struct cq_wait *cq_wait, uint64_t timeout_ns)
{
	struct timespec timeout = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
	struct pollfd fds[sizeof(cq_wait->channels) / sizeof(cq_wait->channels[0])];
	int err;

	for (unsigned i = 0; i < cq_wait->count; i++)
		fds[i] = (struct pollfd){.fd = cq_wait->channels[i].channel->fd, .events = POLLIN};
	if (ppoll(fds, cq_wait->count, &timeout, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	for (unsigned i = 0; i < cq_wait->count; i++) {
		if (!fds[i].revents)
			continue;
		err = cq_channel_take_event(&cq_wait->channels[i]);
		if (err)
			return err;
	}
	return 0;
}

int cq_wait_rest(struct cq_wait *cq_wait, struct poll_monitor *monitor, uint64_t timeout_ns)
{
	const int armed = cq_wait_arm(cq_wait);

	if (armed)
		return armed < 0 ? armed : 0;
	monitor->countdown = 1;
	return cq_wait_sleep(cq_wait, timeout_ns);
}

void cq_wait_close(struct cq_wait *cq_wait)
{
	for (unsigned i = 0; i < cq_wait->count; i++) {
		if (cq_wait->channels[i].unacked)
			ibv_ack_cq_events(cq_wait->channels[i].cq, cq_wait->channels[i].unacked);
	}
	*cq_wait = (struct cq_wait){0};
}
