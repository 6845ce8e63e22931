// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See sysfs.h. */
#include "util/sysfs.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

const char *sysfs_root(void)
{
	const char *root = getenv("PERFTEST_SYSFS");

	return root && *root ? root : "/sys";
}

const char *sysfs_line(char *text, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;
	FILE *file = NULL;

	va_start(arguments, format);
	if (vsnprintf(path, sizeof(path), format, arguments) < (int)sizeof(path))
		file = fopen(path, "re");
	va_end(arguments);
	text[0] = '\0';
	if (!file)
		return text;
	if (!fgets(text, (int)size, file))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	fclose(file);
	return text;
}

int sysfs_number(const char *path, uint64_t *number)
{
	char text[32];

	return units_parse_u64(sysfs_line(text, sizeof(text), "%s", path), 0, UINT64_MAX, number);
}

unsigned long sysfs_id(const char *folder, const char *name)
{
	char text[32];

	return strtoul(sysfs_line(text, sizeof(text), "%s/%s", folder, name), NULL, 16);
}

int sysfs_glob(glob_t *found, const char *folder, const char *pattern)
{
	char path[3 * PATH_MAX], *end = path;

	*found = (glob_t){0};
	if (strlen(folder) >= PATH_MAX || strlen(pattern) >= PATH_MAX)
		return GLOB_NOMATCH;
	for (; *folder; folder++) {
		if (strchr("*?[]{},\\", *folder))
			*end++ = '\\';
		*end++ = *folder;
	}
	snprintf(end, sizeof(path) - (size_t)(end - path), "/%s", pattern);
	return glob(path, GLOB_BRACE, NULL, found);
}

const char *sysfs_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool sysfs_is_pci_address(const char *name)
{
	unsigned domain, bus, slot, function;
	int length = 0;

	return sscanf(name, "%x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &length) == 4 && !name[length];
}

bool sysfs_go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return true;
}
