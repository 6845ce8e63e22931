// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Why did a loop end before its time, and what did the device report by itself? See failure.h. */
#include "session/failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/deadline.h"
#include "util/log.h"
#include "verbs/wc_status.h"

/* How long a failed request may wait for the peer's word on it. */
#define EXPLANATION_MS 500

/*
 * When one side goes, the other's requests fail; what the side channel has to say of it explains more
 * than their status, and may come a moment later. True when it did, and was reported.
 */
static bool peer_explains(struct comm *comm)
{
	const struct deadline deadline = deadline_in_ms(EXPLANATION_MS);
	int ret;

	if (comm->traits->silent)
		return false;
	do {
		ret = comm_look(comm);
		if (ret < 0)
			return true;
	} while (!ret && !deadline_passed(deadline) && !comm_wait(comm, deadline_poll_ms(deadline)));
	return false;
}

/* One error for both users, and for the document. */
static void fail_loop(struct session *session, const char *text)
{
	log_error("%s", text);
	snprintf(session->failure, sizeof(session->failure), "%s", log_last_error());
	comm_abort(&session->comm, session->failure);
}

void session_warn_of_events(struct session *session)
{
	char text[256];

	async_event_take(&session->events, &session->device);
	if (session->events_told || !async_event_cause(&session->events, &session->device, text, sizeof(text))[0])
		return;
	log_warning("%s", text);
	session->events_told = true;
}

/* Tells both users why; the loop has noted the completion. */
static void report_completion_error(struct session *session, const struct run *run)
{
	struct wc_failure failure = run->result.failure;
	char text[LOG_TEXT_SIZE];
	size_t length;

	wc_status_find_first(&session->resources, &failure);
	async_event_take(&session->events, &session->device);
	session->events_told = async_event_cause(&session->events, &session->device, text, sizeof(text))[0];
	wc_status_describe(&session->resources, &failure, run->result.completed + run->result.received,
			   &session->events, text, sizeof(text));
	length = strlen(text);
	retransmits_text(&session->retransmits, text + length, sizeof(text) - length);
	/* An error that is this side's own does not wait: the peer's would only follow from it. */
	if (wc_status_row(failure.status)->follows && !session->events_told && peer_explains(&session->comm)) {
		log_detail("here it was seen as %s", text);
		return;
	}
	fail_loop(session, text);
}

static void report_refusal(struct session *session, const struct run *run, int error)
{
	char text[LOG_TEXT_SIZE], cause[256];

	async_event_take(&session->events, &session->device);
	session->events_told = async_event_cause(&session->events, &session->device, cause, sizeof(cause))[0];
	snprintf(text, sizeof(text), "%s%s%s refused a request after %llu messages: %s", cause, cause[0] ? "\n" : "",
		 session->device.name, (unsigned long long)(run->result.completed + run->result.received),
		 strerror(error));
	fail_loop(session, text);
}

static void report_stray(struct session *session, const struct run *run)
{
	char text[LOG_TEXT_SIZE];

	snprintf(text, sizeof(text), "%s completed a receive after %llu messages that this side did not post",
		 session->device.name, (unsigned long long)(run->result.completed + run->result.received));
	fail_loop(session, text);
}

/* No options travel to a classic peer: it was told another -s. */
static void report_other_size(struct session *session, const struct run *run)
{
	const uint64_t header = run->plan.arrival_bytes - run->plan.size;
	const uint64_t length = run->result.first_arrival_bytes;
	char text[LOG_TEXT_SIZE];

	snprintf(text, sizeof(text),
		 "%s sends messages of %llu bytes and this side expects %llu: give both sides the same -s",
		 session->comm.conn.peer, (unsigned long long)(length > header ? length - header : 0),
		 (unsigned long long)run->plan.size);
	fail_loop(session, text);
}

void session_report_failure(struct session *session, const struct run *run, int error)
{
	if (error == -EIO && run->result.failure.status != IBV_WC_SUCCESS)
		report_completion_error(session, run);
	else if (error == -EBADMSG)
		report_stray(session, run);
	else if (error == -EMSGSIZE && run->plan.arrival_bytes)
		report_other_size(session, run);
	else
		report_refusal(session, run, -error);
}
