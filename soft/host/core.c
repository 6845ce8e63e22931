// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The state of this process, and its error messages. */
#include "host/core.h"

#include <stdarg.h>

struct soft_self soft_self = {.lock = PTHREAD_MUTEX_INITIALIZER, .control_fd = -1};

void soft_error(const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	fprintf(stderr, "perftest-soft: %s\n", line);
}
