// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE 1 /* sched_setaffinity() */
#include "util/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>

static bool number_read(const char **text, unsigned *number)
{
	unsigned value = 0;

	if (!isdigit((unsigned char)**text))
		return false;
	for (; isdigit((unsigned char)**text); (*text)++) {
		value = value * 10 + (unsigned)(**text - '0');
		if (value >= CPULIST_MAX)
			return false;
	}
	*number = value;
	return true;
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

int cpulist_run_on(const struct cpulist *cpus)
{
	cpu_set_t *set = CPU_ALLOC(CPULIST_MAX);
	const size_t size = CPU_ALLOC_SIZE(CPULIST_MAX);
	int ret;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	for (unsigned cpu = cpulist_next(cpus, 0); cpu < CPULIST_MAX; cpu = cpulist_next(cpus, cpu + 1))
		CPU_SET_S(cpu, size, set);
	ret = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return ret;
}

int cpulist_allowed(struct cpulist *allowed)
{
	cpu_set_t *set = CPU_ALLOC(CPULIST_MAX);
	const size_t size = CPU_ALLOC_SIZE(CPULIST_MAX);
	int ret;

	if (!set)
		return -ENOMEM;
	*allowed = (struct cpulist){{0}};
	ret = sched_getaffinity(0, size, set) ? -errno : 0;
	for (unsigned cpu = 0; !ret && cpu < CPULIST_MAX; cpu++)
		allowed->bits[cpu / 64] |= (uint64_t) !!CPU_ISSET_S(cpu, size, set) << cpu % 64;
	CPU_FREE(set);
	return ret;
}
