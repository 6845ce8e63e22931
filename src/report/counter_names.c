// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names of counters: which exist, and which are requested. See counter_names.h. */
#include <config.h>

#include "report/counter_names.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/sysfs.h"

static const char *const folders[] = {"counters", "hw_counters"};

#define NUM_FOLDERS (sizeof(folders) / sizeof(folders[0]))

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* hw_counters/lifespan is a setting: how long the kernel caches the driver's values. */
static int may_count(const struct dirent *entry)
{
	return is_visible(entry) && strcmp(entry->d_name, "lifespan") != 0;
}

static int counter_names_add(struct counter_names *names, const char *folder, const char *file)
{
	char **list = realloc(names->list, (names->count + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	names->list = list;
	if (asprintf(&list[names->count], "%s%s", folder, file) < 0)
		return -ENOMEM;
	names->count++;
	return 0;
}

static int add_folder(struct counter_names *names, const char *port, const char *folder)
{
	struct dirent **entries = NULL;
	char path[PATH_MAX], slashed[32];
	uint64_t value;
	int err = 0, count;

	snprintf(slashed, sizeof(slashed), "%s/", folder);
	snprintf(path, sizeof(path), "%s/%s", port, folder);
	count = scandir(path, &entries, may_count, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", port, folder, entries[i]->d_name);
		if (!err && !sysfs_number(path, &value)) /* "N/A (no PMA)" is none */
			err = counter_names_add(names, slashed, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return err;
}

int counter_names_read(struct counter_names *names, const char *port, const struct nic_statistics *statistics)
{
	int err = 0;

	*names = (struct counter_names){0};
	for (size_t f = 0; f < NUM_FOLDERS && !err; f++)
		err = add_folder(names, port, folders[f]);
	names->first_of_nic = names->count;
	for (uint32_t i = 0; i < statistics->count && !err; i++)
		err = counter_names_add(names, COUNTER_NIC_FOLDER, statistics->names[i]);
	if (err)
		counter_names_free(names);
	return err;
}

void counter_names_free(struct counter_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct counter_names){0};
}

bool counter_asked_is_pattern(const char *asked)
{
	return strcmp(asked, "all") == 0 || strpbrk(asked, "*?[");
}

bool counter_name_matches(const char *name, const char *asked)
{
	const char *base = strrchr(name, '/') + 1;

	if (strcmp(asked, "all") == 0)
		return true;
	return fnmatch(asked, strchr(asked, '/') ? name : base, FNM_PATHNAME) == 0;
}

/* As many names of a folder as fit; length 0: of all folders. */
static void list_names(const struct counter_names *names, const char *folder, size_t length, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < names->count && used < size; i++)
		if (strncmp(names->list[i], folder, length) == 0)
			used += (size_t)snprintf(text + used, size - used, " %s", names->list[i]);
}

void counter_names_report_missing(const struct counter_names *names, const char *asked, const char *port)
{
	const char *slash = strchr(asked, '/');
	char text[512];

	list_names(names, asked, slash ? (size_t)(slash - asked) + 1 : 0, text, sizeof(text));
	if (!text[0])
		list_names(names, asked, 0, text, sizeof(text));
	if (text[0])
		log_error("counter %s: the port has no counter of that name; -W takes all, a pattern, or one of%s",
			  asked, text);
	else
		log_error("counter %s: there are no counters in %s, nor of a network interface", asked, port);
}

const char *counter_netdev(const char *port, char *netdev, size_t size)
{
	struct dirent **entries = NULL;
	char path[PATH_MAX];
	int count;

	netdev[0] = '\0';
	snprintf(path, sizeof(path), "%s/gid_attrs/ndevs", port);
	count = scandir(path, &entries, is_visible, versionsort);
	for (int i = 0; i < count; i++) {
		if (!netdev[0])
			sysfs_line(netdev, size, "%s/gid_attrs/ndevs/%s", port, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return netdev;
}
