// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See session.h. A client may use half of the available memory; concurrent clients would all see the same amount
 * unless they ask one after another. A lock of fcntl(2) belongs to a process, and ends with it.
 */
#define _GNU_SOURCE 1 /* memfd_create() */
#include "qperf/control/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "util/deadline.h"
#include "util/log.h"
#include "util/wait.h"
#include "verbs/memory/demand.h"

#define SMALL_BYTES (64ULL << 20) /* which each client may use in any case */
#define PAUSE_MS    10

static int lock_fd = -1;

void memory_lock_open(void)
{
	lock_fd = memfd_create("qperf memory", MFD_CLOEXEC);
}

static int set_lock(short type)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(lock_fd, F_SETLK, &lock) ? -errno : 0;
}

static int take_lock(const struct qperf_session *session)
{
	const struct deadline deadline = deadline_in_ms(session->control->channel.timeout_ms);
	int ret = lock_fd < 0 ? 0 : set_lock(F_WRLCK);

	while ((ret == -EAGAIN || ret == -EACCES) && !deadline_passed(deadline)) {
		if (wait_fds(NULL, 0, deadline_in_ms(PAUSE_MS)) == -EINTR)
			return -EINTR;
		ret = set_lock(F_WRLCK);
	}
	if (ret == -EAGAIN || ret == -EACCES)
		log_error("the server is allocating memory for other clients, and does not know yet how much is left; "
			  "try again");
	else if (ret)
		log_error("the server cannot serialize its clients' memory allocations: %s", strerror(-ret));
	return ret;
}

int memory_lock_check(const struct qperf_session *session, const struct verbs_config *config,
		      const struct device *device)
{
	char reason[LOG_TEXT_SIZE];
	struct demand demand;
	int ret = demand_of(config, config->size, &demand);

	if (!ret && demand.buffers + demand.queues > SMALL_BYTES)
		ret = take_lock(session);
	if (ret)
		return ret;
	ret = demand_check(&demand, config, device, reason, sizeof(reason));
	return ret ? log_fail(ret, "%s", reason) : 0;
}

void memory_lock_release(void)
{
	if (lock_fd >= 0)
		set_lock(F_UNLCK);
}
