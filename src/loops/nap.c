// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sleeping on completion channels; see nap.h. */
#define _GNU_SOURCE /* ppoll() */
#include "loops/nap.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#define ACK_AT_ONCE 128

void nap_add(struct nap *nap, struct ibv_comp_channel *channel, struct ibv_cq *cq)
{
	if (channel)
		nap->beds[nap->count++] = (struct nap_bed){.channel = channel, .cq = cq};
}

int nap_arm(struct nap *nap)
{
	int armed = 0;

	for (unsigned i = 0; i < nap->count; i++) {
		struct nap_bed *bed = &nap->beds[i];
		int err;

		if (bed->armed)
			continue;
		err = ibv_req_notify_cq(bed->cq, 0 /* any completion */);
		if (err)
			return -err;
		bed->armed = true;
		armed = 1;
	}
	return armed;
}

static int take_event(struct nap_bed *bed)
{
	struct ibv_cq *cq;
	void *context;
	int err;

	if (ibv_get_cq_event(bed->channel, &cq, &context)) {
		err = errno ? -errno : -EIO;
		return err == -EAGAIN || err == -EINTR ? 0 : err;
	}
	bed->armed = false;
	if (++bed->unacked == ACK_AT_ONCE) {
		ibv_ack_cq_events(bed->cq, bed->unacked);
		bed->unacked = 0;
	}
	return 0;
}

int nap_sleep(struct nap *nap, uint64_t timeout_ns)
{
	struct timespec timeout = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
	struct pollfd fds[2];
	int err;

	for (unsigned i = 0; i < nap->count; i++)
		fds[i] = (struct pollfd){.fd = nap->beds[i].channel->fd, .events = POLLIN};
	if (ppoll(fds, nap->count, &timeout, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	for (unsigned i = 0; i < nap->count; i++) {
		if (!fds[i].revents)
			continue;
		err = take_event(&nap->beds[i]);
		if (err)
			return err;
	}
	return 0;
}

void nap_close(struct nap *nap)
{
	for (unsigned i = 0; i < nap->count; i++) {
		if (nap->beds[i].unacked)
			ibv_ack_cq_events(nap->beds[i].cq, nap->beds[i].unacked);
	}
	*nap = (struct nap){0};
}
