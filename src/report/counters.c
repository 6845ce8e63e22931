// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the port's counters, and computes their differences. */
#include <config.h>

#include "report/counters.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/counter_class.h"
#include "util/log.h"
#include "util/sysfs.h"
#include "util/terminal.h"
#include "util/units.h"

/* --- names --- */

#define NIC_FOLDER "ethtool/"
#define MOST_GIDS  1024 /* of a port */

/* Names with their folder, sorted by folder and name; those of the interface in the driver's order. */
struct counter_names {
	char **list;
	size_t count;
	size_t first_of_nic; /* from here on statistics of the interface, in their order */
};

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

static void counter_names_free(struct counter_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct counter_names){0};
}

/* A number, to which the driver of Cassini NICs adds @ and the time. text: what is there. */
static int read_value(const char *path, char text[32], uint64_t *value)
{
	sysfs_line(text, 32, "%s", path);
	text[strcspn(text, "@")] = '\0';
	return units_parse_u64(text, 0, UINT64_MAX, value);
}

/* port: the port's folder in sysfs. 0 or -ENOMEM. */
static int counter_names_read(struct counter_names *names, const char *port, const struct nic_statistics *statistics)
{
	char text[32];
	uint64_t value;
	glob_t files;
	int err;

	*names = (struct counter_names){0};
	err = sysfs_glob(&files, port, "{counters,hw_counters,statistics,telemetry}/*") == GLOB_NOSPACE ? -ENOMEM : 0;
	for (size_t i = 0; i < files.gl_pathc && !err; i++) {
		const char *path = files.gl_pathv[i], *name = path + strlen(port) + 1;

		/* That is a setting: how long the kernel caches the driver's values. "N/A (no PMA)" is no number. */
		if (strcmp(name, "hw_counters/lifespan") && !read_value(path, text, &value))
			err = counter_names_add(names, "", name);
	}
	globfree(&files);
	names->first_of_nic = names->count;
	for (uint32_t i = 0; i < statistics->count && !err; i++)
		err = counter_names_add(names, NIC_FOLDER, statistics->names[i]);
	if (err)
		counter_names_free(names);
	return err;
}

/* May it match several? */
static bool counter_asked_is_pattern(const char *asked)
{
	return strcmp(asked, "all") == 0 || strpbrk(asked, "*?[");
}

/* Does name, with its folder, match an element of -W? */
static bool counter_name_matches(const char *name, const char *asked)
{
	const char *base = strrchr(name, '/') + 1;

	if (strcmp(asked, "all") == 0)
		return true;
	return fnmatch(asked, strchr(asked, '/') ? name : base, FNM_PATHNAME) == 0;
}

/* As many names of a folder as fit; length 0: of all folders. */
static void list_names(const struct counter_names *names, const char *folder, size_t length, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < names->count; i++)
		if (strncmp(names->list[i], folder, length) == 0)
			text_add(text, size, " %s", names->list[i]);
}

static void counter_names_report_missing(const struct counter_names *names, const char *asked, const char *port)
{
	const char *slash = strchr(asked, '/');
	char text[512];

	list_names(names, asked, slash ? (size_t)(slash - asked) + 1 : 0, text, sizeof(text));
	if (!text[0])
		list_names(names, asked, 0, text, sizeof(text));
	if (text[0])
		log_error("counter %s: the device has no counter of that name; take all, a pattern, or one of%s", asked,
			  text);
	else
		log_error("counter %s: there are no counters in %s, nor of a network interface", asked, port);
}

/* The network interface of the port, as the first GID that has one names it; "" if unknown. Returns netdev. */
static const char *counter_netdev(const char *port, char *netdev, size_t size)
{
	netdev[0] = '\0';
	for (unsigned i = 0; i < MOST_GIDS && !netdev[0]; i++)
		sysfs_line(netdev, size, "%s/gid_attrs/ndevs/%u", port, i);
	return netdev;
}

/*
 * In a container an interface of that name may be another one. That of an adapter has a device, or lower interfaces;
 * rxe is no adapter, and may be on any.
 */
static bool is_of_adapter(const char *root, const char *device, const char *netdev)
{
	char path[PATH_MAX];
	glob_t lower;
	bool has_lower;

	snprintf(path, sizeof(path), "%s/class/infiniband/%s/device", root, device);
	if (access(path, F_OK))
		return true;
	snprintf(path, sizeof(path), "%s/class/net/%s/device", root, netdev);
	if (!access(path, F_OK))
		return true;
	*strrchr(path, '/') = '\0';
	has_lower = !sysfs_glob(&lower, path, "lower_*");
	globfree(&lower);
	return has_lower;
}

/* --- values --- */

static int read_file(struct counter *counter)
{
	char text[32];
	int err = access(counter->path, R_OK) ? -errno : 0;

	if (err)
		return log_fail(err,
				"counter %s: %s: %s; -W takes files below the device's folder, such as "
				"counters/port_xmit_data",
				counter->name, counter->path, strerror(-err));
	err = read_value(counter->path, text, &counter->now);
	if (err)
		log_error("counter %s: %s holds '%s', which is not a number", counter->name, counter->path, text);
	return err;
}

static int counters_read(struct counters *counters)
{
	int err = counters->statistics.count ? nic_statistics_read(&counters->statistics) : 0;

	if (err) {
		log_error("counters of %s: %s", counters->statistics.netdev,
			  err == -ESTALE ? "its driver's counters have changed since the test began" : strerror(-err));
		return err;
	}
	for (size_t i = 0; i < counters->count && !err; i++) {
		struct counter *counter = &counters->list[i];

		if (counter->path)
			err = read_file(counter);
		else if (!counter->is_of_second)
			counter->now = counters->statistics.values[counter->statistic];
	}
	return err;
}

/* --- selection --- */

/* The counter's index + 1; 0: not found. */
static size_t counters_find(const struct counters *counters, const char *name)
{
	for (size_t i = 0; i < counters->count; i++)
		if (strcmp(counters->list[i].name, name) == 0)
			return i + 1;
	return 0;
}

/* A file if there is a port; otherwise a statistic of the interface. 0 or -ENOMEM. */
static int counters_add(struct counters *counters, const char *name, const char *port, uint32_t statistic,
			bool is_named)
{
	struct counter *list, *counter;

	if (counters_find(counters, name))
		return 0;
	list = realloc(counters->list, (counters->count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	counters->list = list;
	counter = &list[counters->count++];
	*counter = (struct counter){.name = strdup(name), .statistic = statistic, .is_named = is_named};
	if (port && asprintf(&counter->path, "%s/%s", port, name) < 0)
		counter->path = NULL;
	return counter->name && (counter->path || !port) ? 0 : -ENOMEM;
}

/* A file in a folder whose names are not listed: ports of some drivers have more. */
static bool is_other_file(const char *port, const char *asked)
{
	char path[PATH_MAX];

	return strchr(asked, '/') && snprintf(path, sizeof(path), "%s/%s", port, asked) < PATH_MAX &&
	       !access(path, F_OK);
}

static int counters_choose(struct counters *counters, const struct counter_names *names, const char *asked,
			   const char *port)
{
	const bool is_named = !counter_asked_is_pattern(asked);
	bool found = false;
	int err = 0;

	for (size_t i = 0; i < names->count && !err; i++) {
		const bool of_nic = i >= names->first_of_nic;

		if (!counter_name_matches(names->list[i], asked))
			continue;
		found = true;
		err = counters_add(counters, names->list[i], of_nic ? NULL : port,
				   of_nic ? (uint32_t)(i - names->first_of_nic) : 0, is_named);
	}
	if (err || found || strcmp(asked, "all") == 0) /* which may be none */
		return err;
	if (is_named && is_other_file(port, asked))
		return counters_add(counters, asked, port, 0, is_named);
	counter_names_report_missing(names, asked, port);
	return -ENOENT;
}

static int choose_all(struct counters *counters, const char *asked, const char *port)
{
	struct counter_names names;
	char *copy = strdup(asked), *rest;
	bool any = false;
	int err = copy ? counter_names_read(&names, port, &counters->statistics) : -ENOMEM;

	if (err) {
		free(copy);
		return err;
	}
	for (char *name = strtok_r(copy, ",", &rest); name && !err; name = strtok_r(NULL, ",", &rest)) {
		err = counters_choose(counters, &names, name, port);
		any = true;
	}
	if (!err && !any) {
		log_error(
			"-W names no counter; it takes a list such as counters/port_xmit_data,counters/port_rcv_data");
		err = -EINVAL;
	}
	counter_names_free(&names);
	free(copy);
	return err;
}

/* Unused statistics are not read for each row. */
static void drop_unused_statistics(struct counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		if (!counters->list[i].path)
			return;
	nic_statistics_close(&counters->statistics);
}

int counters_open(struct counters *counters, const char *names, const char *root, const char *device, unsigned port)
{
	char folder[PATH_MAX / 2], netdev[sizeof(counters->statistics.netdev)];

	snprintf(folder, sizeof(folder), "%s/class/infiniband/%s/ports/%u", root, device, port);
	if (counter_netdev(folder, netdev, sizeof(netdev))[0] && !is_of_adapter(root, device, netdev))
		netdev[0] = '\0';
	return counters_open_in(counters, names, root, folder, netdev);
}

int counters_open_in(struct counters *counters, const char *names, const char *root, const char *folder,
		     const char *netdev)
{
	struct counters opened = {0};
	int err;

	/* An interface without statistics, or in another namespace, has no counters to choose from. */
	if (netdev[0])
		(void)nic_statistics_open_below(&opened.statistics, root, netdev);
	err = choose_all(&opened, names, folder);
	if (err == -ENOMEM)
		log_error("no memory for the counters of -W");
	drop_unused_statistics(&opened);
	if (!err)
		err = counters_read(&opened);
	for (size_t i = 0; i < opened.count && !err; i++)
		opened.list[i].at_row = opened.list[i].now;
	if (err)
		counters_close(&opened);
	else
		*counters = opened;
	return err;
}

int counters_join(struct counters *counters, const struct counters *second)
{
	int err = 0;

	counters->second = malloc(sizeof(*counters->second));
	if (!counters->second) {
		struct counters left = *second;

		counters_close(&left);
		log_error("no memory for the counters of -W");
		return -ENOMEM;
	}
	*counters->second = *second;
	for (size_t i = 0; i < second->count && !err; i++) {
		const struct counter *other = &second->list[i];

		if (!counters_find(counters, other->name)) {
			err = counters_add(counters, other->name, NULL, 0, other->is_named);
			if (!err)
				counters->list[counters->count - 1].is_of_second = true;
		}
		if (!err)
			counters->list[counters_find(counters, other->name) - 1].in_second = i + 1;
	}
	if (err)
		log_error("no memory for the counters of -W");
	return err;
}

/* --- differences --- */

/*
 * The kernel reads hw_counters from the driver at most every 10 ms (hw_counters/lifespan), rounded up to a jiffy, and
 * shows the previous values in between: those of a short run would be in no row.
 */
static void counters_outlive_cache(const struct counters *counters)
{
	const useconds_t longest_us = 20000; /* with 100 jiffies a second */

	for (size_t i = 0; i < counters->count; i++) {
		if (strncmp(counters->list[i].name, "hw_counters/", strlen("hw_counters/")) == 0) {
			usleep(longest_us);
			return;
		}
	}
}

int counters_sample(struct counters *counters, bool is_interval)
{
	int err;

	if (!is_interval)
		counters_outlive_cache(counters);
	err = counters_read(counters);

	if (!err && counters->second)
		err = counters_sample(counters->second, is_interval);
	if (err)
		return err;
	for (size_t i = 0; i < counters->count; i++) {
		struct counter *counter = &counters->list[i];

		counter->delta = counter_delta(counter->at_row, counter->now);
		counter->at_row = counter->now;
		if (!is_interval)
			counter->delta += counter->in_rows;
		counter->in_rows = is_interval ? counter->in_rows + counter->delta : 0;
		if (counter->in_second)
			counter->delta += counters->second->list[counter->in_second - 1].delta;
	}
	return 0;
}

void counters_close(struct counters *counters)
{
	for (size_t i = 0; i < counters->count; i++) {
		free(counters->list[i].name);
		free(counters->list[i].path);
	}
	free(counters->list);
	if (counters->second)
		counters_close(counters->second);
	free(counters->second);
	nic_statistics_close(&counters->statistics);
	*counters = (struct counters){0};
}

/* --- output --- */

void counters_print(FILE *out, const struct counters *counters)
{
	if (!counters->count)
		return;
	for (size_t i = 0; i < counters->count; i++) {
		if (counter_is_shown(&counters->list[i]))
			fprintf(out, "\t%s=%" PRId64 "\n", counters->list[i].name, counters->list[i].delta);
	}
	putc('\n', out);
}

void counters_csv_names(FILE *out, const struct counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		fprintf(out, ",%s", counters->list[i].name);
}

void counters_csv_values(FILE *out, const struct counters *counters, bool has_values)
{
	for (size_t i = 0; i < counters->count; i++) {
		putc(',', out);
		if (has_values)
			fprintf(out, "%" PRId64, counters->list[i].delta);
	}
}

json_t *counters_json(const struct counters *counters)
{
	json_t *object = json_object();

	for (size_t i = 0; i < counters->count; i++)
		if (counter_is_shown(&counters->list[i]))
			json_object_set_new(object, counters->list[i].name, json_integer(counters->list[i].delta));
	return object;
}
