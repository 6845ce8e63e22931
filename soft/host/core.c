// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The state of this process, its error messages, and the clock of the device. */
#include "host/core.h"

#include <stdarg.h>
#include <sys/random.h>

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

uint64_t soft_clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t soft_random(void)
{
	uint32_t number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = (uint32_t)soft_clock_now() * 2654435761u;
	return number;
}

int soft_index_find(const void *table, uint32_t first, uint32_t count, uint32_t *next, uint32_t *index)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t candidate = (*next + i) % count;
		const void *entry;

		memcpy(&entry, (const uint8_t *)table + candidate * sizeof(entry), sizeof(entry));
		if (candidate < first || entry)
			continue;
		*next = candidate + 1;
		*index = candidate;
		return 0;
	}
	return -ENOMEM;
}

void *soft_array_grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return realloc(array, (count ? 2 * count : 1) * size);
}
