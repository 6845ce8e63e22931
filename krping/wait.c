// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Waits of a test's thread for the other side. A signal always ends them. */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "endpoint.h"

#define LONG_SPIN_NS NSEC_PER_MSEC /* after this, an occasional sleep changes no figure by more than 5 % */

bool krping_is_over(const struct krping_endpoint *endpoint)
{
	return READ_ONCE(endpoint->result->error) || READ_ONCE(endpoint->is_disconnected);
}

static long sleep_until(struct krping_endpoint *endpoint, krping_ready_fn ready, long limit)
{
	return wait_event_interruptible_timeout(endpoint->wait, ready(endpoint) || krping_is_over(endpoint), limit);
}

/* The same without sleeping: the thread polls, and yields the CPU to other threads. */
static long spin_until(struct krping_endpoint *endpoint, krping_ready_fn ready, long limit)
{
	unsigned long end = jiffies + limit;
	u64 began = ktime_get_ns();

	for (;;) {
		if (endpoint->cq && endpoint->cq->poll_ctx == IB_POLL_DIRECT)
			ib_process_cq_direct(endpoint->cq, -1);
		if (ready(endpoint) || krping_is_over(endpoint))
			return 1;
		if (signal_pending(current))
			return -ERESTARTSYS;
		if (time_after(jiffies, end))
			return 0;
		if (need_resched())
			cond_resched();
		else if (ktime_get_ns() - began > LONG_SPIN_NS)
			usleep_range(20, 50);
		else
			cpu_relax();
	}
}

long krping_pause(struct krping_endpoint *endpoint, krping_ready_fn ready, long limit)
{
	return endpoint->spins ? spin_until(endpoint, ready, limit) : sleep_until(endpoint, ready, limit);
}

int krping_verdict(struct krping_endpoint *endpoint, krping_ready_fn ready, long left, const char *what)
{
	struct krping_result *result = endpoint->result;

	if (ready(endpoint))
		return 0;
	if (READ_ONCE(result->error))
		return result->error;
	if (READ_ONCE(endpoint->is_disconnected))
		return -ENOTCONN;
	if (left < 0)
		return krping_result_fail(result, -EINTR, "interrupted while waiting for the %s", what);
	return krping_result_fail(result, -ETIMEDOUT, "the %s did not come within %llu s", what,
				  endpoint->command->timeout_s);
}

long krping_limit(const struct krping_endpoint *endpoint)
{
	return (long)endpoint->command->timeout_s * HZ;
}

int krping_not_expected(struct krping_endpoint *endpoint, int err, const char *what)
{
	if (err != -ENOTCONN || endpoint->result->role == KRPING_ROLE_SERVER)
		return err;
	return krping_result_fail(endpoint->result, -ECONNRESET, "the peer disconnected before the %s", what);
}

int krping_wait_or_end(struct krping_endpoint *endpoint, krping_ready_fn ready, const char *what)
{
	return krping_verdict(endpoint, ready, krping_pause(endpoint, ready, krping_limit(endpoint)), what);
}

int krping_wait(struct krping_endpoint *endpoint, krping_ready_fn ready, const char *what)
{
	return krping_not_expected(endpoint, krping_wait_or_end(endpoint, ready, what), what);
}

int krping_spin(struct krping_endpoint *endpoint, krping_ready_fn ready, const char *what)
{
	return krping_verdict(endpoint, ready, spin_until(endpoint, ready, krping_limit(endpoint)), what);
}
