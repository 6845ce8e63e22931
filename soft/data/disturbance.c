// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loses, delays and reorders requests, for tests. Called by the side that executes requests, through the operations of
 * a queue pair; in a run without such faults these are the plain ones.
 *
 * PERFTEST_SOFT_FAULT, for the Nth request that this process executes:
 *   drop:N       is lost. Without acknowledgements neither side notices; a reliable queue pair retransmits it when its
 *                timeout has expired (0: never), and fails if retry_cnt is 0
 *   drop_from:N  like drop, for the Nth and all later ones
 *   delay:N+US   is executed US microseconds later, followed by later requests of its queue pair
 *   reorder:N    lets one request of another queue pair overtake it, or waits REORDER_MS if there is none
 */
#include "data/data.h"

#include "data/execute.h"
#include "host/fault.h"

#define REORDER_MS 100
#define MAX_TYPES  11	  /* of queue pairs: rows of qp.c's table */
#define GOES	   0x1000 /* neither a status nor EXECUTE_*: the request proceeds */

/* A delayed request: the first of its queue pair's waiting ones. One per fault that delays requests. */
struct delay {
	struct core_qp *qp; /* NULL: none */
	uint64_t until;	    /* soft_clock_now() */
	bool is_lost;	    /* this was its last transmission */
	bool yields;	    /* waits for a request of another queue pair */
};

/* The first of them stays active. */
static const enum soft_fault kinds[] = {FAULT_DROP_FROM, FAULT_DROP, FAULT_DELAY, FAULT_REORDER};

#define NUM_KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct disturbed_ops {
	struct qp_ops ops;
	const struct qp_ops *plain;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all of the following */
static struct disturbed_ops table[MAX_TYPES];
static struct delay delays[NUM_KINDS];

bool soft_disturbance_is_wanted(void)
{
	for (size_t i = 0; i < NUM_KINDS; i++) {
		if (soft_fault_left(kinds[i]))
			return true;
	}
	return false;
}

/* The result for a delayed request: EXECUTE_DELAYED, a status, or GOES. */
static int delay_check(struct delay *delay)
{
	if (soft_clock_now() < delay->until)
		return EXECUTE_DELAYED;
	delay->qp = NULL;
	return delay->is_lost ? IBV_WC_RETRY_EXC_ERR : GOES;
}

static int delay_begin(struct delay *delay, struct core_qp *qp, uint64_t ns)
{
	const uint64_t now = soft_clock_now();

	*delay = (struct delay){.qp = qp, .until = now + ns < now ? UINT64_MAX : now + ns};
	return EXECUTE_DELAYED;
}

static int lose(struct core_qp *qp, struct delay *delay)
{
	int status;

	if (!qp->ops->is_reliable)
		return IBV_WC_SUCCESS;
	status = delay_begin(delay, qp, qp->attr.timeout ? ACK_TIMEOUT_UNIT << qp->attr.timeout : UINT64_MAX);
	delay->is_lost = qp->attr.retry_cnt == 0;
	return status;
}

/* GOES, or the result of execute(). */
static int disturb(struct core_qp *qp)
{
	for (size_t i = 0; i < NUM_KINDS; i++) {
		if (delays[i].qp != qp)
			continue;
		if (qp->waits)
			return delay_check(&delays[i]);
		/*
		 * Its queue was flushed, or this is another queue pair at the same address: the request is a new one.
		 */
		delays[i].qp = NULL;
	}
	if (soft_fault_left(FAULT_DROP_FROM) == 1)
		return qp->ops->is_reliable ? EXECUTE_WAIT_CONNECTION : IBV_WC_SUCCESS;
	for (size_t i = 1; i < NUM_KINDS; i++) {
		if (!soft_fault_is_due(kinds[i]))
			continue;
		if (kinds[i] == FAULT_DROP)
			return lose(qp, &delays[i]);
		delay_begin(&delays[i], qp,
			    kinds[i] == FAULT_DELAY ? soft_fault_number(FAULT_DELAY) * 1000 : REORDER_MS * 1000000ull);
		delays[i].yields = kinds[i] == FAULT_REORDER;
		return EXECUTE_DELAYED;
	}
	return GOES;
}

/*
 * A request of this queue pair was executed, or lost: counts it, and releases those that wait for another queue pair.
 */
static void note_gone(const struct core_qp *qp)
{
	for (size_t i = 0; i < NUM_KINDS; i++) {
		soft_fault_pass(kinds[i]);
		if (delays[i].qp && delays[i].qp != qp && delays[i].yields)
			delays[i].until = 0;
	}
}

static int disturbed_execute(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
			     uint32_t *byte_len)
{
	const struct disturbed_ops *disturbed = (const struct disturbed_ops *)qp->ops; /* its first member */
	int status;

	pthread_mutex_lock(&lock);
	status = disturb(qp);
	pthread_mutex_unlock(&lock);
	if (status == GOES)
		status = disturbed->plain->execute(qp, operation, wr, byte_len);
	if (status >= 0) {
		pthread_mutex_lock(&lock);
		note_gone(qp);
		pthread_mutex_unlock(&lock);
	}
	return status;
}

const struct qp_ops *soft_disturbance_ops(const struct qp_ops *ops)
{
	struct disturbed_ops *row = table;

	pthread_mutex_lock(&lock);
	if (!soft_disturbance_is_wanted())
		goto out;
	while (row < table + MAX_TYPES && row->plain && row->plain != ops)
		row++;
	if (row == table + MAX_TYPES)
		goto out;
	*row = (struct disturbed_ops){.ops = *ops, .plain = ops};
	row->ops.execute = disturbed_execute;
	row->ops.direct = 0;
	ops = &row->ops;
out:
	pthread_mutex_unlock(&lock);
	return ops;
}
