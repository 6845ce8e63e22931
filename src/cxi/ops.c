// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Common to all transports. See ops.h. */
#include "cxi/ops.h"

#include <stdarg.h>
#include <stdio.h>

int cxi_fault(struct cxi_link *link, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(link->fault, sizeof(link->fault), format, args);
	va_end(args);
	return error;
}
