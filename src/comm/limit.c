// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Limits of waits for the peer of a test. See protocol.h. */
#include <errno.h>

#include "comm/protocol.h"
#include "util/log.h"

struct deadline comm_limit_of(const struct comm *comm, int64_t ms)
{
	const struct deadline limit = deadline_in_ms(ms);

	return comm->end.at_ns && !comm->held_ns ? deadline_sooner(comm->end, limit) : limit;
}

struct deadline comm_limit(const struct comm *comm)
{
	return comm_limit_of(comm, comm->timeout_ms);
}

bool comm_is_over(const struct comm *comm)
{
	return comm->end.at_ns && !comm->held_ns && deadline_passed(comm->end);
}

void comm_hold(struct comm *comm)
{
	if (!comm->held_ns)
		comm->held_ns = deadline_in_ms(0).at_ns;
}

void comm_let_go(struct comm *comm)
{
	if (!comm->held_ns)
		return;
	if (comm->end.at_ns)
		deadline_postpone(&comm->end, deadline_in_ms(0).at_ns - comm->held_ns);
	comm->held_ns = 0;
}

int comm_send(struct comm *comm, const void *bytes, size_t length)
{
	return conn_send(&comm->conn, bytes, length, comm_limit(comm));
}

int comm_report(const struct comm *comm, int error, const char *noun)
{
	if (error == -ETIMEDOUT && comm_is_over(comm))
		return log_fail(error, "the test of the %s (%s) takes longer than this side allows (--max_duration)",
				comm->conn.role, comm->conn.peer);
	return conn_report(&comm->conn, error, noun, comm->timeout_ms);
}

int comm_report_busy(const struct comm *comm, int error)
{
	return conn_error(&comm->conn, error, "did not answer within %g s: it is probably serving another client",
			  (double)comm->timeout_ms / 1e3);
}
