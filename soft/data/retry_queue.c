// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Retries requests that cannot be executed yet: the receiver has posted nothing (RNR), or no peer responds yet. Such a
 * request is copied to a queue of its queue pair, followed by later ones, and retried whenever the program posts or
 * polls, on this or any other queue, until the queue pair's retry limit is reached. If the program does neither for a
 * while, the service thread retries.
 *
 * An adapter would wait for the full RNR timer before each retry; here retries are cheap, so the timer only counts
 * towards the limit.
 */
#include "config.h"

#include "data/data.h"

#include "data/complete.h"
#include "host/mapping.h"
#include "host/peer.h"
#include "host/service.h"

#define RETRY_FOREVER 7		    /* rnr_retry */
#define LOCK_LIMIT_NS 5000000000ull /* for a stopped process that holds a queue of the target */
#define NEXT_LIMIT_NS 20000ull	    /* for a request that may be overtaken */
#define PROGRESS_MAX  16	    /* queue pairs per poll */
#define YIELD_AFTER   1024	    /* failed attempts, about 50 us: the process we wait for may need this CPU */

struct retry_request {
	struct ibv_send_wr wr;
	uint32_t position;
	struct ibv_sge sge[]; /* max_sge, then inline data */
};

struct retry_queue {
	uint8_t *requests;
	size_t size; /* of one */
	size_t mapped;
	uint32_t head;
	uint32_t tail;
	uint32_t depth;
	int reason;	   /* why the first request waits: EXECUTE_* */
	uint64_t since_ns; /* start of the wait for that reason */
};

uint32_t soft_retry_queue_count;

pthread_mutex_t soft_retry_queue_lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static struct core_qp *list_first, **list_last = &list_first;
static uint64_t progress_count;

/* IBA 9.7.5.2.8, table 46, in ns. */
static const uint64_t rnr_timers[32] = {655360000, 10000,     20000,	 30000,	   40000,    60000,    80000,
					120000,	   160000,    240000,	 320000,   480000,   640000,   960000,
					1280000,   1920000,   2560000,	 3840000,  5120000,  7680000,  10240000,
					15360000,  20480000,  30720000,	 40960000, 61440000, 81920000, 122880000,
					163840000, 245760000, 327680000, 491520000};

/* How long a request may wait for that reason; UINT64_MAX: forever. */
static uint64_t limit_ns(const struct core_qp *qp, int reason)
{
	switch (reason) {
	case EXECUTE_WAIT_RECEIVE:
		if (qp->attr.rnr_retry == RETRY_FOREVER)
			return UINT64_MAX;
		return qp->attr.rnr_retry * rnr_timers[qp->rnr_timer & 31];
	case EXECUTE_WAIT_CONNECTION:
		if (qp->attr.timeout == 0)
			return UINT64_MAX;
		return (ACK_TIMEOUT_UNIT << qp->attr.timeout) * (qp->attr.retry_cnt + 1u);
	case EXECUTE_WAIT_LOCK:
		return LOCK_LIMIT_NS;
	default:
		return UINT64_MAX;
	}
}

static int retry_status(const struct core_qp *qp, int reason)
{
	if (!qp->ops->is_reliable)
		return IBV_WC_SUCCESS; /* lost, as unreliable transports permit */
	return reason == EXECUTE_WAIT_RECEIVE ? IBV_WC_RNR_RETRY_EXC_ERR : IBV_WC_RETRY_EXC_ERR;
}

static size_t request_size(const struct core_qp *qp)
{
	size_t size = sizeof(struct retry_request) + qp->max_sge * sizeof(struct ibv_sge) + qp->max_inline;

	return (size + 15) & ~(size_t)15;
}

static int retry_queue_open(struct core_qp *qp)
{
	struct retry_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return -ENOMEM;
	queue->size = request_size(qp);
	queue->depth = qp->depth;
	queue->mapped = queue->size * queue->depth;
	queue->requests = mapping_make_private(queue->mapped);
	if (!queue->requests) {
		free(queue);
		return -ENOMEM;
	}
	qp->retries = queue;
	return 0;
}

void soft_retry_queue_free(struct core_qp *qp)
{
	if (!qp->retries)
		return;
	mapping_drop(qp->retries->requests, qp->retries->mapped);
	free(qp->retries);
	qp->retries = NULL;
}

static struct retry_request *request_at(const struct retry_queue *queue, uint32_t index)
{
	return (struct retry_request *)(void *)(queue->requests + queue->size * (index % queue->depth));
}

/* The program may reuse its request, its list and its inline data once post_send() has returned. */
static void request_copy(struct core_qp *qp, struct retry_request *request, const struct ibv_send_wr *wr)
{
	uint8_t *data = (uint8_t *)&request->sge[qp->max_sge];

	request->wr = *wr;
	request->wr.sg_list = request->sge;
	request->wr.next = NULL;
	for (int i = 0; i < wr->num_sge; i++) {
		request->sge[i] = wr->sg_list[i];
		if (!(wr->send_flags & IBV_SEND_INLINE))
			continue;
		memcpy(data, (const void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		request->sge[i].addr = (uint64_t)(uintptr_t)data;
		data += wr->sg_list[i].length;
	}
}

int soft_retry_queue_add(struct core_qp *qp, const struct ibv_send_wr *wr, uint32_t position, int reason)
{
	struct retry_request *request;
	struct retry_queue *queue;

	if (!qp->waits && limit_ns(qp, reason) == 0) {
		send_complete(qp, &soft_operations[wr->opcode], wr, position, retry_status(qp, reason), 0);
		return 0;
	}
	if (!qp->retries && retry_queue_open(qp)) {
		qp->posted--;
		return -ENOMEM;
	}
	queue = qp->retries;
	request = request_at(queue, queue->tail++);
	request_copy(qp, request, wr);
	request->position = position;
	if (!qp->waits) {
		queue->reason = reason;
		queue->since_ns = (uint64_t)soft_monotonic_ns();
		qp->waits = true;
		soft_retry_queue_attend(qp);
	}
	return 0;
}

void soft_retry_queue_flush(struct core_qp *qp)
{
	struct retry_queue *queue = qp->retries;

	if (!qp->waits)
		return;
	qp->waits = false;
	while (queue->head != queue->tail) {
		const struct retry_request *request = request_at(queue, queue->head++);

		send_complete(qp, &soft_operations[request->wr.opcode], &request->wr, request->position,
			      IBV_WC_WR_FLUSH_ERR, 0);
	}
}

void soft_retry_queue_drop(struct core_qp *qp)
{
	qp->waits = false;
	if (qp->retries)
		qp->retries->head = qp->retries->tail;
}

uint32_t *soft_retry_queue_yield(struct core_qp *qp)
{
	struct retry_queue *queue = qp->retries;

	/* Behind another one that waits it would take a position that is not its own. */
	if (!qp->waits || queue->reason != EXECUTE_WAIT_NEXT || queue->tail - queue->head != 1)
		return NULL;
	queue->reason = EXECUTE_DELAYED;
	return &request_at(queue, queue->head)->position;
}

/* Returns an enum ibv_wc_status; negative: it still waits. */
static int request_try(struct core_qp *qp, const struct retry_request *request, uint32_t *byte_len)
{
	const struct soft_operation *operation = &soft_operations[request->wr.opcode];
	struct retry_queue *queue = qp->retries;
	int status;

	if (queue->reason == EXECUTE_WAIT_NEXT && (uint64_t)soft_monotonic_ns() - queue->since_ns < NEXT_LIMIT_NS)
		return EXECUTE_WAIT_NEXT;
	status = qp->ops->execute(qp, operation, &request->wr, byte_len);
	if (status >= 0)
		return status;
	if (status != queue->reason) {
		queue->reason = status;
		queue->since_ns = (uint64_t)soft_monotonic_ns();
	}
	return (uint64_t)soft_monotonic_ns() - queue->since_ns >= limit_ns(qp, status) ? retry_status(qp, status)
										       : status;
}

void soft_retry_queue_advance(struct core_qp *qp)
{
	struct retry_queue *queue = qp->retries;

	while (qp->waits) {
		enum ibv_qp_state state = core_qp_state(qp);
		const struct retry_request *request;
		uint32_t byte_len = 0;
		int status;

		if (state == IBV_QPS_ERR || state == IBV_QPS_SQE) {
			soft_retry_queue_flush(qp);
			return;
		}
		if (state != IBV_QPS_RTS)
			return;
		request = request_at(queue, queue->head);
		status = request_try(qp, request, &byte_len);
		if (status < 0)
			return;
		queue->reason = EXECUTE_DELAYED; /* of the next, until it is tried */
		queue->head++;
		qp->waits = queue->head != queue->tail;
		send_complete(qp, &soft_operations[request->wr.opcode], &request->wr, request->position, status,
			      byte_len);
	}
}

static void list_add(struct core_qp *qp)
{
	qp->is_listed = true;
	qp->next_listed = NULL;
	*list_last = qp;
	list_last = &qp->next_listed;
}

void soft_retry_queue_attend(struct core_qp *qp)
{
	pthread_mutex_lock(&soft_retry_queue_lock);
	if (qp->is_advancing) {
		qp->is_wanted = true;
	} else if (!qp->is_listed) {
		list_add(qp);
		__atomic_add_fetch(&soft_retry_queue_count, 1, __ATOMIC_SEQ_CST);
	}
	pthread_mutex_unlock(&soft_retry_queue_lock);
	soft_service_tick();
}

void soft_retry_queue_forget(struct core_qp *qp)
{
	unsigned int spins = 0;

	pthread_mutex_lock(&soft_retry_queue_lock);
	while (qp->is_advancing) {
		pthread_mutex_unlock(&soft_retry_queue_lock);
		lock_pause(&spins);
		pthread_mutex_lock(&soft_retry_queue_lock);
	}
	if (qp->is_listed) {
		struct core_qp **link = &list_first;

		while (*link != qp)
			link = &(*link)->next_listed;
		*link = qp->next_listed;
		if (list_last == &qp->next_listed)
			list_last = link;
		qp->is_listed = false;
		__atomic_sub_fetch(&soft_retry_queue_count, 1, __ATOMIC_SEQ_CST);
	}
	pthread_mutex_unlock(&soft_retry_queue_lock);
}

static struct core_qp *list_take(void)
{
	struct core_qp *qp;

	pthread_mutex_lock(&soft_retry_queue_lock);
	qp = list_first;
	if (qp) {
		list_first = qp->next_listed;
		if (!list_first)
			list_last = &list_first;
		qp->is_listed = false;
		qp->is_advancing = true;
		qp->is_wanted = false;
	}
	pthread_mutex_unlock(&soft_retry_queue_lock);
	return qp;
}

static void list_return(struct core_qp *qp, bool waits, bool has_advanced)
{
	static unsigned int fruitless;
	bool must_yield;

	pthread_mutex_lock(&soft_retry_queue_lock);
	qp->is_advancing = false;
	if (waits || qp->is_wanted)
		list_add(qp);
	else
		__atomic_sub_fetch(&soft_retry_queue_count, 1, __ATOMIC_SEQ_CST);
	fruitless = has_advanced ? 0 : fruitless + 1;
	must_yield = fruitless % YIELD_AFTER == YIELD_AFTER - 1;
	pthread_mutex_unlock(&soft_retry_queue_lock);
	if (must_yield)
		sched_yield();
}

void soft_retry_queue_progress(void)
{
	uint32_t count = __atomic_load_n(&soft_retry_queue_count, __ATOMIC_RELAXED);

	__atomic_add_fetch(&progress_count, 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < count && i < PROGRESS_MAX; i++) {
		struct core_qp *qp = list_take();
		bool biased, waits = false, has_advanced;
		uint32_t first;

		if (!qp)
			return;
		if (!soft_service_lock(&qp->lock, &biased)) {
			list_return(qp, true /* waits */, false);
			continue;
		}
		first = qp->retries ? qp->retries->head : 0;
		if (core_qp_state(qp) == IBV_QPS_ERR)
			waits = !soft_receive_flush(qp);
		soft_retry_queue_advance(qp);
		has_advanced = qp->retries && qp->retries->head != first;
		waits |= qp->waits;
		local_lock_release(&qp->lock, biased);
		list_return(qp, waits, has_advanced);
	}
}

uint64_t soft_retry_queue_progress_count(void)
{
	return __atomic_load_n(&progress_count, __ATOMIC_RELAXED);
}

void soft_retry_queue_reset(void)
{
	list_first = NULL;
	list_last = &list_first;
	soft_retry_queue_count = 0;
}
