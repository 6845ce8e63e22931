// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What was in the queues, as text that two runs can be compared by; and what the rig has to object to. */
#define _GNU_SOURCE 1 /* program_invocation_short_name */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "rig.h"

static FILE *file;

void trace_open(int slot)
{
	const char *path = getenv("PERFTEST_PROVIDER_TRACE");
	char name[4096];

	if (!path || file)
		return;
	snprintf(name, sizeof(name), "%s.%d", path, slot);
	file = fopen(name, "we");
	if (file)
		setvbuf(file, NULL, _IOLBF, BUFSIZ);
}

bool trace_on(void)
{
	return file;
}

void trace(const char *format, ...)
{
	va_list arguments;

	if (!file)
		return;
	va_start(arguments, format);
	vfprintf(file, format, arguments);
	va_end(arguments);
}

const char *trace_place(uint32_t key, uint64_t address)
{
	static char text[4][40];
	static unsigned turn;
	const struct rig_mr *mr = rig_mr_of(key);
	char *place = text[turn++ % 4];

	if (mr)
		snprintf(place, sizeof(text[0]), "+%llu", (unsigned long long)(address - mr->iova));
	else
		snprintf(place, sizeof(text[0]), "nowhere");
	return place;
}

void rig_fault(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "rig: %s: ", program_invocation_short_name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}
