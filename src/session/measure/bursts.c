// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Derives the burst plan from the options; see measurement.h. */
#include "session/measure/measurement.h"

#include <errno.h>
#include <stdlib.h>

#include "frames/frame.h"
#include "util/log.h"

int session_open_bursts(const struct session *session, struct run *run, struct burst_plan *burst)
{
	const struct params *params = &session->params;
	const bool asks = session->traffic.active;
	const bool goes_by_messages = !asks && !params_given(params, "reply_every");

	*burst = (struct burst_plan){0};
	if (!session->traffic.bursts)
		return 0;
	*burst = (struct burst_plan){
		.reply_every = goes_by_messages ? 0 : params->ethernet.reply_every,
		.mark_offset = frame_header_bytes(&session->params.verbs.frames.sent),
	};
	run->plan.burst = burst;
	run->plan.burst_size = params_burst(params, run->plan.size);
	if (!asks)
		return 0;
	burst->stamps = calloc(run->plan.burst_size / burst->reply_every + 1, sizeof(*burst->stamps));
	if (burst->stamps)
		return 0;
	return log_fail(-ENOMEM, "no memory for the send times of a burst of %u messages", run->plan.burst_size);
}

void session_close_bursts(struct burst_plan *burst)
{
	free(burst->stamps);
	burst->stamps = NULL;
}

void session_report_lost_of_bursts(const struct session *session, const struct run *run)
{
	const uint64_t lost = run->result.lost, size = run->plan.size;

	if (!lost)
		return;
	if (session->traffic.active)
		log_warning("%llu of %llu frames of %llu bytes were not answered: they or their answers were lost",
			    (unsigned long long)lost, (unsigned long long)(lost + run->result.received),
			    (unsigned long long)size);
	else
		log_warning("%llu of %llu messages of %llu bytes were lost", (unsigned long long)lost,
			    (unsigned long long)(lost + run->result.received), (unsigned long long)size);
}
