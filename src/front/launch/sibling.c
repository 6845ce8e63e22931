// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See sibling.h. */
#include "front/launch/sibling.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "params/engine/opt.h"
#include "params/engine/opt_name.h"
#include "params/programs.h"
#include "util/log.h"
#include "util/process.h"

const struct sibling siblings[] = {
	{.name = "cmtime",
	 .summary = "steps of RDMA connection setup and teardown",
	 .port_option = "-p",
	 .port_name = "--port",
	 .host_option = "-C",
	 .server_option = "-L",
	 .bind_option = "-b",
	 .bind_name = "--bind_address",
	 .interface_option = "-B",
	 .interface_name = "--bind_interface",
	 .alone_option = "-C",
	 .alone_name = "--controller"},
	{.name = "qperf",
	 .summary = "bandwidth and latency of sockets and RDMA",
	 .port_option = "-lp",
	 .port_name = "--listen_port",
	 .host_first = true},
	{.name = "cxi_send_bw",
	 .summary = "bandwidth of sends on HPE Slingshot",
	 .port_option = "-p",
	 .port_name = "--port",
	 .device_option = "-d"},
};

const size_t num_siblings = sizeof(siblings) / sizeof(siblings[0]);

const struct sibling *sibling_find(const char *name)
{
	for (size_t i = 0; i < num_siblings; i++)
		if (strcmp(siblings[i].name, name) == 0)
			return &siblings[i];
	return NULL;
}

const char *sibling_hint(struct opt_nearest *nearest, char text[SIBLING_HINT_SIZE])
{
	for (size_t i = 0; i < num_programs; i++)
		opt_nearest_try(nearest, programs[i].name);
	for (size_t i = 0; i < num_siblings; i++)
		opt_nearest_try(nearest, siblings[i].name);
	snprintf(text, SIBLING_HINT_SIZE, nearest->name ? "did you mean %s?" : "perftest list names them",
		 nearest->name);
	return text;
}

const char *sibling_fault(const char *word, char text[SIBLING_FAULT_SIZE])
{
	struct opt_nearest nearest = opt_nearest_to(word, strlen(word));
	char hint[SIBLING_HINT_SIZE];

	snprintf(text, SIBLING_FAULT_SIZE, "%s is no program of the suite; %s", opt_quote(word).text,
		 sibling_hint(&nearest, hint));
	return text;
}

int sibling_run(const char *const *files, char **argv)
{
	char folder[PATH_MAX], path[2 * PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	char *slash;

	folder[length < 0 ? 0 : length] = '\0';
	slash = strrchr(folder, '/');
	if (!slash) {
		log_error("cannot find the folder of this program: /proc/self/exe: %s", strerror(errno));
		return EXIT_STATUS_FAILURE;
	}
	*slash = '\0';
	for (; *files; files++) {
		snprintf(path, sizeof(path), "%s%s%s", **files == '/' ? "" : folder, **files == '/' ? "" : "/", *files);
		if (access(path, F_OK))
			continue;
		execv(path, argv);
		log_error("cannot execute %s: %s", path, strerror(errno));
		return EXIT_STATUS_FAILURE;
	}
	log_error("%s is not installed beside this program in %s", argv[0], folder);
	return EXIT_STATUS_FAILURE;
}
