/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets of CPUs or nodes, in the kernel's format: "0-3,8". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CPULIST_MAX 8192 /* the largest NR_CPUS of a distribution's kernel */

struct cpulist {
	uint64_t bits[CPULIST_MAX / 64];
};

/* 0, or -EBADMSG: not a list. "" is the empty set. Written only on success. */
int cpulist_parse(struct cpulist *list, const char *text);
bool cpulist_has(const struct cpulist *list, unsigned n);
unsigned cpulist_count(const struct cpulist *list);
/* The first member from n on; CPULIST_MAX: none. */
unsigned cpulist_next(const struct cpulist *list, unsigned n);
/* Removes the members of other. */
void cpulist_remove(struct cpulist *list, const struct cpulist *other);
bool cpulist_overlaps(const struct cpulist *a, const struct cpulist *b);
/* Is every member of a in b? */
bool cpulist_within(const struct cpulist *a, const struct cpulist *b);
/* The CPUs on which the calling thread may run; and setting them. 0 or -errno. */
int cpulist_allowed(struct cpulist *allowed);
int cpulist_run_on(const struct cpulist *cpus);
