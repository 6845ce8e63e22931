// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See memory.h. */
#include "memory/memory.h"

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

/* The files of a version of cgroups. Version 1 says "no limit" by a number that no host has. */
struct group_files {
	const char *mount;
	const char *limit, *usage;
	const char *active, *inactive; /* in memory.stat: with the groups below */
};

static const struct group_files version_1 = {
	"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
	"total_active_file ",	 "total_inactive_file ",
};
static const struct group_files version_2 = {
	"/sys/fs/cgroup", "memory.max", "memory.current", "active_file ", "inactive_file ",
};

/* What remains of one group's limit; UINT64_MAX: it has no limit ("max"). */
static uint64_t left_in_group(const char *folder, const struct group_files *files)
{
	uint64_t most, used, active = 0, inactive = 0, left;
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, files->limit);
	if (!available_read_number(path, "", &most))
		return UINT64_MAX;
	snprintf(path, sizeof(path), "%s/%s", folder, files->usage);
	if (!available_read_number(path, "", &used))
		return UINT64_MAX;
	snprintf(path, sizeof(path), "%s/memory.stat", folder);
	available_read_number(path, files->active, &active);
	available_read_number(path, files->inactive, &inactive);
	left = most > used ? most - used : 0;
	left += active + inactive;
	return left < most ? left : most;
}

/*
 * The smallest remainder of a group and those above it. A container may see its own group as the root of what is
 * mounted, and the host's path to it in /proc: then only the root exists.
 */
static uint64_t left_in_branch(const char *root, char *group, const struct group_files *files)
{
	uint64_t least = UINT64_MAX, left;
	char path[PATH_MAX], *end;

	do {
		if ((size_t)snprintf(path, sizeof(path), "%s%s%s", root, files->mount, group) < sizeof(path)) {
			left = left_in_group(path, files);
			if (left < least)
				least = left;
		}
		end = strrchr(group, '/');
		if (end)
			*end = '\0';
	} while (end);
	return least;
}

/* Is the controller of version 1 that limits memory in this list ("cpu,memory")? */
static bool limits_memory(const char *controllers, size_t length)
{
	static const char name[] = "memory";
	const char *end = controllers + length;

	for (const char *at = controllers; at < end; at += strcspn(at, ",:") + 1)
		if (strcspn(at, ",:") == strlen(name) && strncmp(at, name, strlen(name)) == 0)
			return true;
	return false;
}

/* The smallest remainder of this process's groups: lines of number:controllers:/group, without any in version 2. */
static uint64_t left_in_groups(const char *root)
{
	uint64_t least = UINT64_MAX, left;
	char path[PATH_MAX], line[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(++controllers, ':') : NULL;

		if (!group || group[1] != '/')
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (group == controllers)
			left = left_in_branch(root, group + 1, &version_2);
		else if (limits_memory(controllers, (size_t)(group - controllers)))
			left = left_in_branch(root, group + 1, &version_1);
		else
			continue;
		if (left < least)
			least = left;
	}
	if (file)
		fclose(file);
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
