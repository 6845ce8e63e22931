// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See qperf.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "qperf/qperf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/cli.h"
#include "params/engine/opt.h"
#include "qperf/control/session.h"
#include "qperf/options/command.h"
#include "qperf/options/page.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/process.h"
#include "util/stop.h"
#include "verbs/device/software.h"

static int command_run_plan(struct command *command, const struct command_plan *plan)
{
	int ret;

	if (stack_check() || stop_install() || session_install())
		return EXIT_STATUS_FAILURE;
	log_set_verbose(plan->params.debug);
	/* Not in command_check(), since the program may execute itself again for the software device. */
	if (plan->late_option)
		log_warning("%s follows the last test and has no effect", plan->late_option);
	ret = plan->kind == COMMAND_SERVER ? server_main(&plan->params) : client_main(command, &plan->params);
	if (ret == -ERANGE)
		return EXIT_STATUS_LIMIT;
	return ret == -EINTR ? EXIT_STATUS_INTERRUPTED : ret ? EXIT_STATUS_FAILURE : EXIT_STATUS_OK;
}

int qperf_main(int argc, char **argv)
{
	static struct command_plan plan;
	struct command command = {.argc = argc, .argv = argv};
	char reason[OPT_TEXT_SIZE];

	stdio_guard();
	clock_start(false /* the counter, if it can be trusted */);
	log_set_program("qperf");
	if (command_check(&command, &plan, reason, sizeof(reason)))
		return cli_usage_error(reason);
	switch (plan.kind) {
	case COMMAND_VERSION:
		printf("qperf 0.4.11 (%s %s)\n", PACKAGE_NAME, PACKAGE_VERSION);
		return stdio_status();
	case COMMAND_HELP:
		if (!help_print(plan.topic ? plan.topic : "main"))
			return stdio_status();
		log_error("cannot find help category %s; try: qperf --help categories", opt_quote(plan.topic).text);
		return EXIT_STATUS_USAGE;
	default:
		/* If there is no RDMA device; a server cannot know which tests will be requested. */
		if ((plan.kind == COMMAND_SERVER || plan.has_rdma) && soft_preload(plan.device, argv)) {
			if (plan.kind != COMMAND_SERVER)
				return EXIT_STATUS_FAILURE;
			log_info("sockets are served all the same");
		}
		return command_run_plan(&command, &plan);
	}
}
