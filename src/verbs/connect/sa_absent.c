// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Multicast on InfiniBand in a build without libibumad's headers: refused. See sa_member.h. */
#include <errno.h>

#include "util/log.h"
#include "verbs/connect/sa_member.h"

static int absent_join(const struct sa_group *group, struct sa_answer *answer, struct sa_member **made)
{
	(void)answer;
	(void)made;
	return log_fail(-EOPNOTSUPP,
			"multicast on InfiniBand (port %u of %s): this program was built without libibumad's "
			"headers\ninstall libibumad-dev (Debian) or rdma-core-devel (Fedora), and rebuild it",
			group->port, group->device);
}

static void absent_leave(struct sa_member *member)
{
	(void)member;
}

const struct sa_ops sa_ops = {.join = absent_join, .leave = absent_leave};
