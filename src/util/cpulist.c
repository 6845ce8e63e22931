// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE 1 /* sched_setaffinity() */
#include "util/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

static bool number_read(const char **text, unsigned *number)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**text))
		return false;
	value = strtoul(*text, &end, 10);
	*text = end;
	*number = (unsigned)value;
	return value < CPULIST_MAX;
}

int cpulist_parse(struct cpulist *list, const char *text)
{
	struct cpulist parsed = {{0}};
	unsigned first, last;

	while (*text) {
		if (!number_read(&text, &first))
			return -EBADMSG;
		last = first;
		if (*text == '-') {
			text++;
			if (!number_read(&text, &last) || last < first)
				return -EBADMSG;
		}
		for (; first <= last; first++)
			parsed.bits[first / 64] |= 1ULL << first % 64;
		if (*text == ',' && isdigit((unsigned char)text[1]))
			text++;
		else if (*text)
			return -EBADMSG;
	}
	*list = parsed;
	return 0;
}

bool cpulist_has(const struct cpulist *list, unsigned n)
{
	return n < CPULIST_MAX && (list->bits[n / 64] >> n % 64 & 1);
}

unsigned cpulist_count(const struct cpulist *list)
{
	unsigned count = 0;

	for (unsigned i = 0; i < CPULIST_MAX / 64; i++)
		count += (unsigned)__builtin_popcountll(list->bits[i]);
	return count;
}

unsigned cpulist_next(const struct cpulist *list, unsigned n)
{
	while (n < CPULIST_MAX && !cpulist_has(list, n))
		n++;
	return n;
}

void cpulist_remove(struct cpulist *list, const struct cpulist *other)
{
	for (unsigned i = 0; i < CPULIST_MAX / 64; i++)
		list->bits[i] &= ~other->bits[i];
}

bool cpulist_overlaps(const struct cpulist *a, const struct cpulist *b)
{
	for (unsigned i = 0; i < CPULIST_MAX / 64; i++)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}

bool cpulist_within(const struct cpulist *a, const struct cpulist *b)
{
	for (unsigned i = 0; i < CPULIST_MAX / 64; i++)
		if (a->bits[i] & ~b->bits[i])
			return false;
	return true;
}

/* The kernel's own form of a set. */
_Static_assert(sizeof(unsigned long) == sizeof(uint64_t), "a word of a set of CPUs");

int cpulist_run_on(const struct cpulist *cpus)
{
	return sched_setaffinity(0, sizeof(cpus->bits), (const void *)cpus->bits) ? -errno : 0;
}

int cpulist_allowed(struct cpulist *allowed)
{
	*allowed = (struct cpulist){{0}};
	return sched_getaffinity(0, sizeof(allowed->bits), (void *)allowed->bits) ? -errno : 0;
}
