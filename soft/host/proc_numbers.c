// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Translates process and thread ids between /proc and system calls. See proc_numbers.h. */
#include "config.h"

#include "host/proc_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_LINE_MAX 512 /* bytes, enough for the relevant lines of /proc/self/task/N/status */

bool soft_proc_numbers_are_ours(void)
{
	char shown[16] = "";

	return readlink("/proc/self", shown, sizeof(shown) - 1) > 0 && atoi(shown) == (int)getpid();
}

pid_t soft_proc_task(const char *name)
{
	char path[64], line[STATUS_LINE_MAX];
	pid_t task = 0;
	FILE *status;

	if (soft_proc_numbers_are_ours())
		return (pid_t)atoi(name);
	snprintf(path, sizeof(path), "/proc/self/task/%.16s/status", name);
	status = fopen(path, "re");
	/* From the namespace of /proc down to the thread's own, which system calls use. */
	while (status && !task && fgets(line, sizeof(line), status)) {
		if (strncmp(line, "NSpid:", 6) == 0)
			task = (pid_t)atoi(strrchr(line, '\t') + 1);
	}
	if (status)
		fclose(status);
	return task;
}
