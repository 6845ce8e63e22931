// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which requests does the path lose, delay or let others overtake, because a test wants it? Asked by the side that
 * carries requests out, through the operations of a queue pair; in a run without such faults they are the plain ones.
 *
 * PERFTEST_SOFT_FAULT, of the Nth request that this process carries out:
 *   drop:N       is lost. Without acknowledgements neither side learns of it; a reliable queue pair sends it again
 *                when its timeout has passed (0: never), and fails where retry_cnt is 0
 *   drop_from:N  so is each one behind it
 *   delay:N+US   is carried out US microseconds later, and what its queue pair posts after it behind it
 *   reorder:N    lets one request of another queue pair go first, or waits REORDER_MS where none comes
 */
#include "data/disturbance.h"

#include <stdint.h>

#include "data/execute.h"
#include "host/fault.h"
#include "soft.h"

#define REORDER_MS	 100
#define ACK_TIMEOUT_UNIT 4096ull /* ns, doubled `timeout` times (IBA 9.7.6.1.3) */
#define MAX_TYPES	 11	 /* of queue pairs: rows of qp.c's table */
#define GOES		 0x1000	 /* neither a status nor EXECUTE_*: the request goes its way */

/* A request that is held back: the first one of that queue pair's that wait. One for each fault that holds. */
struct hold {
	struct core_qp *qp; /* NULL: none */
	uint64_t until;	    /* soft_clock_now() */
	bool is_lost;	    /* it was sent for the last time */
	bool yields;	    /* until another queue pair's has gone */
};

/* The first of them never ends. */
static const enum soft_fault kinds[] = {FAULT_DROP_FROM, FAULT_DROP, FAULT_DELAY, FAULT_REORDER};

#define NUM_KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct disturbed_ops {
	struct qp_ops ops;
	const struct qp_ops *plain;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static struct disturbed_ops table[MAX_TYPES];
static struct hold holds[NUM_KINDS];

bool soft_disturbance_is_wanted(void)
{
	for (size_t i = 0; i < NUM_KINDS; i++) {
		if (soft_fault_is_wanted(kinds[i]))
			return true;
	}
	return false;
}

/* What becomes of a request that is held: EXECUTE_HELD, a status, or GOES. */
static int hold_ask(struct hold *hold)
{
	if (soft_clock_now() < hold->until)
		return EXECUTE_HELD;
	hold->qp = NULL;
	return hold->is_lost ? IBV_WC_RETRY_EXC_ERR : GOES;
}

static int hold_begin(struct hold *hold, struct core_qp *qp, uint64_t ns)
{
	const uint64_t now = soft_clock_now();

	*hold = (struct hold){.qp = qp, .until = now + ns < now ? UINT64_MAX : now + ns};
	return EXECUTE_HELD;
}

static int lose(struct core_qp *qp, struct hold *hold)
{
	int held;

	if (!qp->ops->is_reliable)
		return IBV_WC_SUCCESS;
	held = hold_begin(hold, qp, qp->attr.timeout ? ACK_TIMEOUT_UNIT << qp->attr.timeout : UINT64_MAX);
	hold->is_lost = qp->attr.retry_cnt == 0;
	return held;
}

/* GOES, or what execute() is to answer. */
static int disturb(struct core_qp *qp)
{
	for (size_t i = 0; i < NUM_KINDS; i++) {
		if (holds[i].qp != qp)
			continue;
		if (qp->waits)
			return hold_ask(&holds[i]);
		/* Its queue was flushed, or this is another queue pair at its address: the request is a new one. */
		holds[i].qp = NULL;
	}
	if (soft_fault_is_next(FAULT_DROP_FROM))
		return qp->ops->is_reliable ? EXECUTE_WAIT_CONNECTION : IBV_WC_SUCCESS;
	for (size_t i = 1; i < NUM_KINDS; i++) {
		if (!soft_fault_is_due(kinds[i]))
			continue;
		if (kinds[i] == FAULT_DROP)
			return lose(qp, &holds[i]);
		hold_begin(&holds[i], qp,
			   kinds[i] == FAULT_DELAY ? soft_fault_number(FAULT_DELAY) * 1000 : REORDER_MS * 1000000ull);
		holds[i].yields = kinds[i] == FAULT_REORDER;
		return EXECUTE_HELD;
	}
	return GOES;
}

/* A request of this queue pair has gone, or was lost: it counts, and those that yield to it go next. */
static void note_gone(const struct core_qp *qp)
{
	for (size_t i = 0; i < NUM_KINDS; i++) {
		soft_fault_pass(kinds[i]);
		if (holds[i].qp && holds[i].qp != qp && holds[i].yields)
			holds[i].until = 0;
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
