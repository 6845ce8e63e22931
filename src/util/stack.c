// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See stack.h. */
#include "util/stack.h"

#include <errno.h>
#include <sys/resource.h>

#include "util/log.h"

#define LEAST_KIB 128 /* with which all programs are tested */

int stack_check(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= LEAST_KIB << 10)
		return 0;
	log_error("the stack is limited to %llu KiB (ulimit -s), and at least %d are needed",
		  (unsigned long long)(limit.rlim_cur >> 10), LEAST_KIB);
	return -ENOMEM;
}
