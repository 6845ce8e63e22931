// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The remaining time of a wait: on the side channel, and wherever the peer is awaited. */
#include "util/deadline.h"

#include <limits.h>
#include <time.h>

#define NS_PER_S  1000000000
#define NS_PER_MS 1000000
#define BUSY_NS	  1000000000 /* that a process may wait for a CPU */

/* If the clock goes back (it must not, but virtual machines are migrated) no wait becomes longer. */
static int64_t deadline_now_ns(void)
{
	/* the last time that was returned; how far the clock has gone back in total */
	static __thread int64_t latest, lost;
	struct timespec now;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
	if (ns + lost < latest)
		lost = latest - ns;
	latest = ns + lost;
	return latest;
}

struct deadline deadline_in_ms(int64_t ms)
{
	int64_t now = deadline_now_ns();

	if (ms < 0 || ms > (INT64_MAX - now) / NS_PER_MS)
		return (struct deadline){INT64_MAX};
	return (struct deadline){now + ms * NS_PER_MS};
}

bool deadline_passed(struct deadline deadline)
{
	return deadline.at_ns != INT64_MAX && deadline_now_ns() >= deadline.at_ns;
}

int64_t deadline_left_ns(struct deadline deadline)
{
	int64_t now;

	if (deadline.at_ns == INT64_MAX)
		return -1;
	now = deadline_now_ns();
	return deadline.at_ns > now ? deadline.at_ns - now : 0;
}

int deadline_poll_ms(struct deadline deadline)
{
	const int64_t left_ns = deadline_left_ns(deadline);
	int64_t left_ms;

	if (left_ns <= 0)
		return (int)left_ns;
	left_ms = (left_ns - 1) / NS_PER_MS + 1;
	return left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

void deadline_postpone(struct deadline *deadline, int64_t ns)
{
	if (deadline->at_ns < INT64_MAX - ns)
		deadline->at_ns += ns;
}

int64_t deadline_stopped_ns(struct deadline *due, int64_t most_ms)
{
	const int64_t late_ns = due->at_ns ? deadline_now_ns() - due->at_ns : 0;

	*due = deadline_in_ms(most_ms);
	return late_ns > BUSY_NS ? late_ns : 0;
}
