// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See available.h. */
#include "memory/available.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The number after a word at the start of a line ("MemAvailable:"), or after "" the number in the only line. */
static bool available_read_number(const char *path, const char *word, uint64_t *number)
{
	FILE *file = fopen(path, "re");
	const size_t length = strlen(word);
	bool found = false;
	char line[256];

	while (file && !found && fgets(line, sizeof(line), file))
		found = strncmp(line, word, length) == 0 && sscanf(line + length, "%" SCNu64, number) == 1;
	if (file)
		fclose(file);
	return found;
}

/* What remains of one group's limit; UINT64_MAX: it has no limit ("max"). */
static uint64_t left_in_group(const char *folder)
{
	uint64_t most, used, active = 0, inactive = 0, left;
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/memory.max", folder);
	if (!available_read_number(path, "", &most))
		return UINT64_MAX;
	snprintf(path, sizeof(path), "%s/memory.current", folder);
	if (!available_read_number(path, "", &used))
		return UINT64_MAX;
	snprintf(path, sizeof(path), "%s/memory.stat", folder);
	available_read_number(path, "active_file ", &active);
	available_read_number(path, "inactive_file ", &inactive);
	left = most > used ? most - used : 0;
	left += active + inactive;
	return left < most ? left : most;
}

/* The smallest remainder of this process's groups, from the innermost one to the root that it sees. */
static uint64_t left_in_groups(const char *root)
{
	char path[PATH_MAX], line[PATH_MAX] = "", *end;
	uint64_t least = UINT64_MAX, left;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	file = fopen(path, "re");
	while (file && strncmp(line, "0::/", 4) != 0 && fgets(line, sizeof(line), file))
		;
	if (file)
		fclose(file);
	if (strncmp(line, "0::/", 4) != 0)
		return UINT64_MAX;
	line[strcspn(line, "\n")] = '\0';
	do {
		if ((size_t)snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s", root, line + 3) < sizeof(path)) {
			left = left_in_group(path);
			if (left < least)
				least = left;
		}
		end = strrchr(line + 3, '/');
		if (end)
			*end = '\0';
	} while (end);
	return least;
}

uint64_t memory_available(const char *root)
{
	uint64_t kib, host = UINT64_MAX, group = left_in_groups(root);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	if (available_read_number(path, "MemAvailable:", &kib) && kib < UINT64_MAX >> 10)
		host = kib << 10;
	return host < group ? host : group;
}
