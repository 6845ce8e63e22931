// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See qperf.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "qperf/qperf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/opt.h"
#include "qperf/control/session.h"
#include "qperf/options/command.h"
#include "verbs/device/software.h"

static int qperf_parse(void *own, int argc, char **argv, char *reason, size_t reason_size)
{
	struct qperf *qperf = own;
	int ret;

	qperf->command = (struct command){.argc = argc, .argv = argv};
	ret = command_check(&qperf->command, &qperf->plan, reason, reason_size);
	qperf->asked.version = qperf->plan.kind == COMMAND_VERSION;
	return ret;
}

static int qperf_answer(void *own, char **argv)
{
	const struct command_plan *plan = &((struct qperf *)own)->plan;

	(void)argv;
	if (plan->kind != COMMAND_HELP)
		return LIFE_CONTINUES;
	if (!help_print(plan->topic ? plan->topic : "main"))
		return stdio_status();
	log_error("cannot find help category %s; try: qperf --help categories", opt_quote(plan->topic).text);
	return EXIT_STATUS_USAGE;
}

/* If there is no RDMA device; a server cannot know which tests will be requested. */
static int qperf_library(void *own, char **argv)
{
	const struct command_plan *plan = &((struct qperf *)own)->plan;

	if ((plan->kind != COMMAND_SERVER && !plan->has_rdma) || !soft_preload(plan->device, argv))
		return 0;
	if (plan->kind != COMMAND_SERVER)
		return -ENODEV;
	log_info("sockets are served all the same");
	return 0;
}

static int qperf_begin(void *own)
{
	const struct command_plan *plan = &((struct qperf *)own)->plan;

	if (session_install())
		return EXIT_STATUS_FAILURE;
	log_set_verbose(plan->params.debug);
	/* Not in command_check(), since the program may execute itself again for the software device. */
	if (plan->late_option)
		log_warning("%s follows the last test and has no effect", plan->late_option);
	if (plan->kind != COMMAND_SERVER)
		return LIFE_CONTINUES;
	return server_main(&plan->params) ? EXIT_STATUS_FAILURE : EXIT_STATUS_OK;
}

static const struct life_ops qperf_life = {
	.version = "qperf 0.4.11 (" PACKAGE_NAME " " PACKAGE_VERSION ")",
	.parse = qperf_parse,
	.answer = qperf_answer,
	.library = qperf_library,
	.begin = qperf_begin,
	.open = client_open,
	.measure = client_run,
	.report = client_end_report,
};

int qperf_main(int argc, char **argv)
{
	static struct qperf qperf;
	struct life life = {
		.ops = &qperf_life, .own = &qperf, .name = "qperf", .asked = &qperf.asked, .ending = &qperf.ending};

	return life_main(&life, argc, argv);
}
