// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How a test ended. See print.h. */
#include "session/print/print.h"

#include <errno.h>

enum exit_status session_status(const struct session *session, int ret)
{
	if (session->wrong_data && (!ret || ret == -EINTR || ret == -EBADMSG))
		return EXIT_STATUS_VALIDATION;
	if (session->interrupted || ret == -EINTR)
		return session->failure[0] ? EXIT_STATUS_FAILURE : EXIT_STATUS_INTERRUPTED;
	if (ret || session->measured_nothing)
		return EXIT_STATUS_FAILURE;
	return session->limit_failed ? EXIT_STATUS_LIMIT : EXIT_STATUS_OK;
}

static const char *status_name(const struct session *session, enum exit_status status)
{
	switch (status) {
	case EXIT_STATUS_OK:
		return "complete";
	case EXIT_STATUS_LIMIT:
		return session->traffic.metric == METRIC_LAT ? "above limit" : "below limit";
	case EXIT_STATUS_VALIDATION:
		return "wrong data";
	case EXIT_STATUS_INTERRUPTED:
		return "interrupted";
	default:
		return "failed";
	}
}

/* For the document: why the run was incomplete. NULL: it was not. */
static const char *reason_of(const struct session *session, enum exit_status status, int ret)
{
	switch (status) {
	case EXIT_STATUS_OK:
		return NULL;
	case EXIT_STATUS_LIMIT:
		return session->limit;
	case EXIT_STATUS_INTERRUPTED:
		return "stopped by its user (SIGINT, SIGTERM or SIGHUP)";
	default:
		return ret && ret != -EINTR ? log_last_error() : session->failure;
	}
}

enum exit_status session_conclude(struct session *session, int ret)
{
	const enum exit_status status = session_status(session, ret);

	if (session->report &&
	    report_close(session->report, status_name(session, status), reason_of(session, status, ret)) &&
	    status == EXIT_STATUS_OK)
		return EXIT_STATUS_FAILURE;
	return status;
}
