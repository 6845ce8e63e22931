// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interposes ibv_create_qp(): a device that needs 20 ms for each, as one that is busy, or a virtual function, may. The
 * file SLOW_CALLS gets a byte for each. And, with the name of a FIFO in SLOW_OPEN, ibv_open_device(): from the second
 * call on, as that of --explain's doctor, it does not return until somebody writes there.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <unistd.h>

#include "in_front.h"

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	const int fd = open(getenv("SLOW_CALLS"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	NEXT(ibv_create_qp);
	if (fd < 0 || write(fd, "q", 1) != 1)
		abort();
	close(fd);
	usleep(20000);
	return next(pd, attr);
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	const char *held = getenv("SLOW_OPEN");
	static bool again;

	NEXT(ibv_open_device);
	if (held && again)
		close(open(held, O_RDONLY | O_CLOEXEC));
	again = true;
	return next(device);
}
