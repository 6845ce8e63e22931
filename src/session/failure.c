// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Why a loop ended early, and what the device reported by itself. See measurement.h. */
#include "session/measure/measurement.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "loops/run.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/terminal.h"
#include "verbs/memory/mr.h"
#include "verbs/work/wc_status.h"

/* How long a failed request may wait for the peer's explanation. */
#define EXPLANATION_MS 500

/*
 * When one side ends, the other's requests fail; its message on the side channel explains more than their status, and
 * may arrive a moment later. True if it arrived and was reported.
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
	} while (!ret && !deadline_passed(deadline) && !conn_wait(&comm->conn, POLLIN, deadline));
	return false;
}

/* Reports one error to both users and in the document. */
static void __attribute__((format(printf, 2, 3))) fail_loop(struct session *session, const char *format, ...)
{
	char text[LOG_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	log_error("%s", text);
	snprintf(session->ending.failure, sizeof(session->ending.failure), "%s", log_last_error());
	comm_abort(&session->comm, session->ending.failure);
}

const char *session_retransmits_text(const struct session *session, char *text, size_t size)
{
	size_t used;

	retransmits_text(&session->retransmits[0], text, size);
	used = strlen(text);
	retransmits_text(&session->retransmits[1], text + used, size - used);
	return text;
}

bool session_take_cause(struct session *session, char *text, size_t size)
{
	async_event_take(&session->events, &session->device);
	session->failure_reported = async_event_cause(&session->events, &session->device, text, size)[0];
	return session->failure_reported;
}

void session_warn_of_events(struct session *session)
{
	char text[512];

	if (!session->failure_reported && session_take_cause(session, text, sizeof(text)))
		log_warning("%s", text);
}

/* Tells both users why; the loop has recorded the completion. */
static void report_completion_error(struct session *session, const struct run *run)
{
	struct wc_failure failure = run->result.failure;
	const struct wc_status_row *row;
	const char *doubt = session->resources.dmabuf_refused ? NULL : mr_doubt(&session->resources);
	char text[LOG_TEXT_SIZE];
	size_t length;

	wc_status_find_first(&session->resources, &failure);
	session_take_cause(session, text, sizeof(text));
	wc_status_describe(&session->resources, &failure, run->result.completed + run->result.received,
			   &session->events, text, sizeof(text));
	length = strlen(text);
	session_retransmits_text(session, text + length, sizeof(text) - length);
	if (doubt)
		text_add(text, sizeof(text), "\n%s", doubt);
	/* An error of this side does not wait: the peer's would only be a consequence. */
	row = wc_status_row(failure.status);
	if (row->follows && (session->comm.traits->announces_done || !row->is_refusal) && !session->failure_reported &&
	    peer_explains(&session->comm)) {
		log_detail("here it was seen as %s", text);
		return;
	}
	fail_loop(session, "%s", text);
}

static void report_refusal(struct session *session, const struct run *run, int error)
{
	char cause[512];

	session_take_cause(session, cause, sizeof(cause));
	fail_loop(session, "%s%s%s refused a request after %llu messages: %s", cause, cause[0] ? "\n" : "",
		  session->device.name, (unsigned long long)(run->result.completed + run->result.received),
		  strerror(error));
}

/* Reports the impossible: what the library returns, or a clock. */
static bool report_absurd(struct session *session, const struct run *run, int error)
{
	char cause[512];

	if (!run_error_text(error, session->device.name, cause, sizeof(cause)))
		return false;
	fail_loop(session, "%s, after %llu messages", cause,
		  (unsigned long long)(run->result.completed + run->result.received));
	return true;
}

/* A classic peer does not exchange options: it was given another -s. */
static void report_other_size(struct session *session, uint64_t theirs, uint64_t ours)
{
	fail_loop(session, "%s sends messages of %llu bytes, but this side expects %llu: give both sides the same -s",
		  comm_peer(&session->comm), (unsigned long long)theirs, (unsigned long long)ours);
}

static void report_first_arrival(struct session *session, const struct run *run)
{
	const uint64_t header = run->plan.arrival_bytes - run->plan.size;
	const uint64_t length = run->result.first_arrival_bytes;

	report_other_size(session, length > header ? length - header : 0, run->plan.size);
}

bool session_found_other_size(struct session *session, const struct run *run)
{
	uint64_t written;

	if (session->comm.traits->negotiates || !session->traffic.polls_memory || run->result.received ||
	    session->params.verbs.all_sizes)
		return false;
	written = mr_first_message(&session->resources);
	if (!written || written == run->plan.size)
		return false;
	report_other_size(session, written, run->plan.size);
	return true;
}

void session_report_failure(struct session *session, const struct run *run, int error)
{
	if (error == -EIO && run->result.failure.status != IBV_WC_SUCCESS)
		report_completion_error(session, run);
	else if (error == -EMSGSIZE && run->plan.arrival_bytes)
		report_first_arrival(session, run);
	else if (error == -EMSGSIZE && run->plan.lengths)
		fail_loop(session, "frames of %u bytes arrive, which is not among --sizes: give both sides the same",
			  run->result.first_arrival_bytes + session->traffic.transport->trailer_bytes);
	else if (error == -EMSGSIZE && session->traffic.forwards)
		fail_loop(session,
			  "frames of %u bytes arrive, but this side was given %llu: give both sides the same -s",
			  run->result.first_arrival_bytes + session->traffic.transport->trailer_bytes,
			  (unsigned long long)run->plan.size);
	else if (error == -EPROTO && run->plan.burst && run->result.peer_every)
		fail_loop(session,
			  "--reply_every is %u on the client and %u on the server: give both the same, or omit it on "
			  "the server",
			  run->result.peer_every, run->plan.burst->reply_every);
	else if (!report_absurd(session, run, error))
		report_refusal(session, run, -error);
}
