// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See text.h. The CPU is shown as in qperf 0.4.11, which only shows part of the line. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "qperf/print/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MAX_CPUINFO (4U << 20)

/* The value of a line "key : value", up to the end of the line. NULL: not that key. */
static const char *conf_line_value(const char *line, const char *key)
{
	const size_t length = strlen(key);

	if (strncmp(line, key, length) != 0)
		return NULL;
	line += length;
	line += strspn(line, " \t");
	return *line == ':' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

static void cut_all(char *text, const char *word)
{
	char *found;

	while ((found = strstr(text, word)))
		memmove(found, found + strlen(word), strlen(found + strlen(word)) + 1);
}

static void tidy(char *name)
{
	char *found;

	cut_all(name, "(R)");
	cut_all(name, "(TM)");
	cut_all(name, "CPU ");
	cut_all(name, "Processor ");
	while ((found = strstr(name, "  ")))
		memmove(found, found + 1, strlen(found));
}

void conf_cpu(const char *cpuinfo, char text[CONF_TEXT_SIZE])
{
	char name[CONF_TEXT_SIZE] = "", speed[24] = "", count[24] = "", whole[2 * CONF_TEXT_SIZE];
	unsigned cores = 0;
	double mhz = 0;
	bool mixed = false;
	size_t length;

	for (const char *line = cpuinfo; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *model = conf_line_value(line, "model name"), *rate = conf_line_value(line, "cpu MHz");

		cores += conf_line_value(line, "processor") != NULL;
		if (rate && mhz == 0)
			mhz = strtod(rate, NULL);
		if (!model)
			continue;
		length = strcspn(model, "\n");
		if (!name[0])
			snprintf(name, sizeof(name), "%.*s", (int)length, model);
		else
			mixed |= strncmp(name, model, length < sizeof(name) - 1 ? length : sizeof(name) - 1) != 0;
	}
	tidy(name);
	if (mixed)
		snprintf(name, sizeof(name), "Mixed CPUs");
	else if (!name[0])
		snprintf(name, sizeof(name), "unknown CPU");
	length = strlen(name);
	if (!mixed && mhz > 0 && !(length > 2 && strcmp(name + length - 2, "Hz") == 0))
		snprintf(speed, sizeof(speed), mhz < 1000 ? " %.0fMHz" : " %.1fGHz", mhz < 1000 ? mhz : mhz / 1000);
	if (cores > 1)
		snprintf(count, sizeof(count), "%u Cores: ", cores);
	/* Truncated to fit, as in 0.4.11. */
	snprintf(whole, sizeof(whole), "%s%s%s", count, name, speed);
	memcpy(text, whole, CONF_TEXT_SIZE - 1);
	text[CONF_TEXT_SIZE - 1] = '\0';
}

static void read_cpu(char text[CONF_TEXT_SIZE])
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char *all = malloc(MAX_CPUINFO);
	size_t length = 0;

	if (file && all)
		length = fread(all, 1, MAX_CPUINFO - 1, file);
	if (all) {
		all[length] = '\0';
		conf_cpu(all, text);
	}
	free(all);
	if (file)
		fclose(file);
}

void conf_read(struct conf *conf)
{
	struct utsname name;

	memset(conf, 0, sizeof(*conf));
	gethostname(conf->node, sizeof(conf->node) - 1);
	read_cpu(conf->cpu);
	if (!uname(&name))
		snprintf(conf->os, sizeof(conf->os), "%.20s %.40s", name.sysname, name.release);
	snprintf(conf->qperf, sizeof(conf->qperf), "0.4.11 (%s %s)", PACKAGE_NAME, PACKAGE_VERSION);
}
