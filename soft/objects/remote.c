// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Handles what other processes do to the objects of this one, besides data transfer: they break queue pairs, overrun
 * completion queues, request memory, and die while holding locks. Called by the service thread.
 */
#include "config.h"

#include "objects/objects.h"

#include <fcntl.h>

#include "data/cqe.h"
#include "data/data.h"
#include "host/liveness.h"
#include "host/wire.h"
#include "memory/pages.h"

static void notice_take(const struct notice *notice)
{
	switch (notice->kind) {
	case NOTICE_QP_ERROR:
	case NOTICE_ESTABLISHED:
		soft_qp_notice(notice->number, notice->kind, notice->event);
		break;
	case NOTICE_SRQ_LIMIT:
		soft_srq_limit_reached(notice->number);
		break;
	case NOTICE_CQ_OVERRUN:
		soft_cq_overrun(notice->number);
		break;
	case NOTICE_EVENT:
		soft_channel_wake(notice->number);
		break;
	}
}

/* Releases the locks of dead processes: only the owner of the memory knows of their end. They may have lied about it.
 */
static void initiator_ended(uint32_t instance)
{
	const int64_t until = soft_monotonic_ms() + LOCK_TIMEOUT_MS; /* of all queues */

	if (!soft_liveness_initiator_is_gone(instance))
		return;
	pthread_mutex_lock(&soft_self.lock);
	for (uint32_t i = 0; i < LAYOUT_RQ_COUNT; i++) {
		const uint32_t holder = __atomic_load_n(&soft_self.rq_rows[i].lock, __ATOMIC_ACQUIRE);

		if (soft_self.rqs[i] && soft_self.rqs[i]->row && soft_liveness_holder_is_gone(holder))
			soft_receive_repair(soft_self.rqs[i], holder, until);
	}
	for (uint32_t i = 1; i < LAYOUT_CQ_COUNT; i++) {
		const uint32_t holder = __atomic_load_n(&soft_self.cq_rows[i].lock, __ATOMIC_ACQUIRE);

		if (!soft_self.cqs[i])
			continue;
		if (soft_liveness_holder_is_gone(holder))
			soft_cq_repair(soft_self.cqs[i]->row, holder);
		/* It may have stored a completion without waking the sleeping thread. */
		soft_channel_rouse_pending(soft_self.cqs[i]);
	}
	pthread_mutex_unlock(&soft_self.lock);
}

static int region_find(uint32_t key, struct wire_reply *reply, int *fd)
{
	struct mr_file file;
	int err = soft_mr_file(key, &file);

	if (err)
		return err;
	reply->offset = file.offset;
	reply->page_size = file.page_size;
	reply->sysv_id = file.sysv_id;
	*fd = file.fd;
	return 0;
}

static int demand(const struct wire_request *request)
{
	return soft_mr_demand(request->number, request->addr, request->length, request->writes);
}

static int channel_find(uint32_t number)
{
	int fd;

	pthread_mutex_lock(&soft_self.lock);
	fd = soft_channel_descriptor(number);
	if (fd >= 0)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&soft_self.lock);
	return fd;
}

static bool waiting_retry(void)
{
	static uint64_t last_progress;

	if (__atomic_load_n(&soft_retry_queue_count, __ATOMIC_RELAXED) == 0)
		return false;
	if (soft_retry_queue_progress_count() == last_progress) {
		soft_locks_contend();
		soft_retry_queue_progress();
	}
	last_progress = soft_retry_queue_progress_count();
	return true;
}

static bool is_waiting(void)
{
	return __atomic_load_n(&soft_retry_queue_count, __ATOMIC_SEQ_CST);
}

const struct service_ops soft_remote_ops = {
	.notice = notice_take,
	.initiator_ended = initiator_ended,
	.peer_died = soft_qp_peer_died,
	.region_find = region_find,
	.demand = demand,
	.channel_find = channel_find,
	.retry = waiting_retry,
	.waits = is_waiting,
};
