// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See ends.h. */
#include "config.h" /* pipe2() */

#include "front/launch/ends.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

int ends_open(int ends[2], bool both_ways)
{
	int made[2], ret = 0;

	if (both_ways ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made) : pipe2(made, O_CLOEXEC))
		return -errno;
	for (unsigned i = 0; i < 2; i++) {
		ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, ENDS_GIVEN);
		ret = ends[i] < 0 ? -errno : ret;
		close(made[i]);
	}
	for (unsigned i = 0; i < 2 && ret; i++)
		end_close(&ends[i]);
	return ret;
}

void end_close(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}
