// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reading the port's counters, and telling what they moved by. */
#include "config.h"

#include "report/counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/units.h"

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

static int add_counter(struct counters *counters, const char *name, const char *folder)
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
	err = read_counter(counter);
	if (err)
		return err;
	counter->at_row = counter->now;
	counter->at_result = counter->now;
	return 0;
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
	err = 0;
	for (name = strtok_r(copy, ",", &rest); name && !err; name = strtok_r(NULL, ",", &rest))
		err = add_counter(&opened, name, folder);
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
