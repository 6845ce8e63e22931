// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See life.h. */
#include "life/life.h"

#include <errno.h>
#include <stdio.h>

#include "stats/clock.h"
#include "util/stop.h"

/* --- how a test ended --- */

static enum exit_status status_of(const struct ending *ending, int ret)
{
	if (ending->wrong_data && (!ret || ret == -EINTR || ret == -EBADMSG))
		return EXIT_STATUS_VALIDATION;
	if (ending->interrupted || ret == -EINTR)
		return ending->failure[0] ? EXIT_STATUS_FAILURE : EXIT_STATUS_INTERRUPTED;
	if (ret || ending->measured_nothing)
		return ending->is_misuse ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILURE;
	return ending->limit_failed ? EXIT_STATUS_LIMIT : EXIT_STATUS_OK;
}

static const char *status_name(const struct ending *ending)
{
	switch (ending->status) {
	case EXIT_STATUS_OK:
	case EXIT_STATUS_LIMIT: /* the document has words of its own */
		return "complete";
	case EXIT_STATUS_VALIDATION:
		return "wrong data";
	case EXIT_STATUS_INTERRUPTED:
		return "interrupted";
	default:
		return "failed";
	}
}

/* Why the run was incomplete. NULL: it was not, or the document knows. */
static const char *reason_of(const struct ending *ending, int ret)
{
	switch (ending->status) {
	case EXIT_STATUS_OK:
	case EXIT_STATUS_LIMIT:
		return NULL;
	case EXIT_STATUS_INTERRUPTED:
		return LIFE_STOPPED;
	default:
		return (ret && ret != -EINTR) || !ending->failure[0] ? log_last_error() : ending->failure;
	}
}

enum exit_status life_conclude(struct ending *ending, life_report_fn report, void *own, int ret)
{
	ending->status = status_of(ending, ret);
	if (report(own, status_name(ending), reason_of(ending, ret)) &&
	    (ending->status == EXIT_STATUS_OK || ending->status == EXIT_STATUS_LIMIT))
		ending->status = EXIT_STATUS_FAILURE;
	return ending->status;
}

/* --- the tests --- */

static int step(int (*op)(void *own), void *own, int ret)
{
	return ret || !op ? ret : op(own);
}

enum exit_status life_run(struct life *life)
{
	const struct life_ops *ops = life->ops;
	const bool keeps_serving = life->keeps_serving && *life->keeps_serving;
	size_t warnings = 0, clients = 0;
	enum exit_status status;
	bool met, again;
	int ret;

	do {
		ret = step(ops->open, life->own, 0);
		if (!clients++)
			warnings = log_warning_count();
		ret = step(ops->connect, life->own, ret);
		met = !ret;
		if (keeps_serving)
			log_forget_warnings(warnings); /* those of the previous client */
		ret = step(ops->agree, life->own, ret);
		ret = step(ops->prepare, life->own, ret);
		ret = step(ops->measure, life->own, ret);
		if (ret && ops->abort)
			ops->abort(life->own, ret, ret == -EINTR ? LIFE_STOPPED : log_last_error());
		status = life_conclude(life->ending, ops->report, life->own, ret);
		again = met && keeps_serving && !stop_seen;
		if (ops->close)
			ops->close(life->own, again);
	} while (again);
	/* Ctrl-C is the regular end of a server that keeps serving. */
	return ret == -EINTR && !met && keeps_serving ? EXIT_STATUS_OK : status;
}

/* --- the program --- */

/* The exit status, or LIFE_CONTINUES. */
static int answer(const struct life *life, char **argv)
{
	if (life->asked->usage || life->asked->help)
		cli_print_help(life->cli, life->asked->help);
	else if (!life->asked->version)
		return life->ops->answer ? life->ops->answer(life->own, argv) : LIFE_CONTINUES;
	else if (life->ops->version)
		printf("%s\n", life->ops->version);
	else
		cli_print_version();
	return stdio_status();
}

int life_main(struct life *life, int argc, char **argv)
{
	const struct life_ops *ops = life->ops;
	char reason[LOG_TEXT_SIZE];
	int status;

	stdio_guard();
	clock_start(false /* the counter, if it can be trusted */);
	log_set_program(life->name);
	if (ops->parse(life->own, argc, argv, reason, sizeof(reason)))
		return cli_usage_error(reason);
	status = answer(life, argv);
	if (status != LIFE_CONTINUES)
		return status;
	if (stack_check() || (ops->library && ops->library(life->own, argv)) || stop_install())
		return EXIT_STATUS_FAILURE;
	status = ops->begin ? ops->begin(life->own) : LIFE_CONTINUES;
	return status == LIFE_CONTINUES ? (int)life_run(life) : status;
}
