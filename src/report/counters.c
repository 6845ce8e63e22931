// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reading the port's counters, and telling what they moved by. */
#include <config.h>

#include "report/counters.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/log.h"
#include "util/units.h"

static const char *const folders[] = {"counters", "hw_counters"};

#define NUM_FOLDERS (sizeof(folders) / sizeof(folders[0]))

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Adds " ack_deferred duplicate_request ..." of a folder of the port; as much as fits. */
static void counters_list_names(const char *port, const char *folder, char *text, size_t size)
{
	struct dirent **entries = NULL;
	size_t used = strlen(text);
	char *path = NULL;
	int i, count;

	if (asprintf(&path, "%s/%s", port, folder) < 0)
		return;
	count = scandir(path, &entries, is_visible, alphasort);
	for (i = 0; i < count; i++) {
		if (used < size)
			used += (size_t)snprintf(text + used, size - used, " %s/%s", folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	free(path);
}

/* There is no such counter: which are there, in its folder, or in all where there is none of that name? */
static void counter_report_missing(const struct counter *counter, const char *port)
{
	const size_t length = strcspn(counter->name, "/");
	char text[512] = "";
	size_t i;

	for (i = 0; i < NUM_FOLDERS; i++) {
		if (strlen(folders[i]) == length && strncmp(folders[i], counter->name, length) == 0)
			counters_list_names(port, folders[i], text, sizeof(text));
	}
	if (!text[0]) {
		for (i = 0; i < NUM_FOLDERS; i++)
			counters_list_names(port, folders[i], text, sizeof(text));
	}
	if (text[0])
		log_error("counter %s: the port has none of that name; -W takes all, or of%s", counter->name, text);
	else
		log_error("counter %s: there is no %s; the device shows no counters", counter->name, counter->path);
}

static int read_counter(struct counter *counter)
{
	char text[32] = "";
	uint64_t now;
	FILE *file;
	int err;

	file = fopen(counter->path, "re");
	if (!file) {
		err = -errno;
		log_error("counter %s: %s: %s; -W takes files below the port's folder, such as counters/port_xmit_data",
			  counter->name, counter->path, strerror(-err));
		return err;
	}
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	err = units_parse_u64(text, 0, UINT64_MAX, &now);
	if (err) {
		log_error("counter %s: %s holds '%s', which is not a number", counter->name, counter->path, text);
		return err;
	}
	counter->now = now;
	return 0;
}

static int counters_add(struct counters *counters, const char *name, const char *folder)
{
	struct counter *list = realloc(counters->list, (counters->count + 1) * sizeof(*list));
	struct counter *counter;
	int err;

	if (!list)
		return -ENOMEM;
	counters->list = list;
	counter = &list[counters->count];
	*counter = (struct counter){0};
	counters->count++;
	counter->name = strdup(name);
	if (!counter->name)
		return -ENOMEM;
	if (asprintf(&counter->path, "%s/%s", folder, name) < 0) {
		counter->path = NULL;
		return -ENOMEM;
	}
	if (access(counter->path, F_OK) && errno == ENOENT) {
		counter_report_missing(counter, folder);
		return -ENOENT;
	}
	err = read_counter(counter);
	if (err)
		return err;
	counter->at_row = counter->now;
	counter->at_result = counter->now;
	return 0;
}

/* Files that hold no number ("N/A (no PMA)", lifespan of another unit) are left out: they were not asked for by name.
 */
static bool holds_number(const char *folder, const char *name)
{
	char text[32] = "";
	char *path = NULL;
	uint64_t value;
	FILE *file;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return false;
	file = fopen(path, "re");
	free(path);
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return !units_parse_u64(text, 0, UINT64_MAX, &value);
}

/* -W all */
static int add_all(struct counters *counters, const char *port)
{
	struct dirent **entries;
	int err = 0, i, count;
	char *path, *name;

	counters->is_all = true;
	for (size_t f = 0; f < NUM_FOLDERS && !err; f++) {
		if (asprintf(&path, "%s/%s", port, folders[f]) < 0)
			return -ENOMEM;
		entries = NULL;
		count = scandir(path, &entries, is_visible, alphasort);
		free(path);
		for (i = 0; i < count; i++) {
			if (!err && asprintf(&name, "%s/%s", folders[f], entries[i]->d_name) < 0)
				err = -ENOMEM;
			if (!err) {
				if (holds_number(port, name))
					err = counters_add(counters, name, port);
				free(name);
			}
			free(entries[i]);
		}
		free(entries);
	}
	if (!err && !counters->count) {
		log_error("-W all: there are no counters in %s", port);
		err = -ENOENT;
	}
	return err;
}

int counters_open(struct counters *counters, const char *names, const char *root, const char *device, unsigned port)
{
	struct counters opened = {0};
	char *folder = NULL, *copy = NULL;
	char *name, *rest;
	int err = -ENOMEM;

	if (asprintf(&folder, "%s/class/infiniband/%s/ports/%u", root, device, port) < 0) {
		folder = NULL;
		goto out;
	}
	copy = strdup(names);
	if (!copy)
		goto out;
	if (strcmp(names, "all") == 0) {
		err = add_all(&opened, folder);
		goto out;
	}
	err = 0;
	for (name = strtok_r(copy, ",", &rest); name && !err; name = strtok_r(NULL, ",", &rest))
		err = counters_add(&opened, name, folder);
	if (!err && !opened.count) {
		log_error(
			"-W names no counter; it takes a list such as counters/port_xmit_data,counters/port_rcv_data");
		err = -EINVAL;
	}
out:
	if (err == -ENOMEM)
		log_error("no memory for the counters of -W");
	free(copy);
	free(folder);
	if (err)
		counters_close(&opened);
	else
		*counters = opened;
	return err;
}

int counters_sample(struct counters *counters, bool is_interval)
{
	struct counter *counter;
	size_t i;
	int err;

	for (i = 0; i < counters->count; i++) {
		err = read_counter(&counters->list[i]);
		if (err)
			return err;
	}
	for (i = 0; i < counters->count; i++) {
		counter = &counters->list[i];
		counter->delta = (int64_t)(counter->now - (is_interval ? counter->at_row : counter->at_result));
		counter->at_row = counter->now;
		if (!is_interval)
			counter->at_result = counter->now;
	}
	return 0;
}

void counters_close(struct counters *counters)
{
	size_t i;

	for (i = 0; i < counters->count; i++) {
		free(counters->list[i].name);
		free(counters->list[i].path);
	}
	free(counters->list);
	*counters = (struct counters){0};
}
