// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See steps.h. */
#include "session/steps.h"

#include "verbs/device/adapter.h"

/*
 * Must every message be signalled, because on iWARP the peer's credits may run out within a stride? With a rate limit,
 * messages that are not signalled would then only complete with a later burst, and be missing in the sample window. A
 * classic peer grants none after the end of a run by time, not even for a message that would complete those before it.
 */
static bool credits_end_strides(const struct session *session)
{
	const struct params *params = &session->params;

	return params->verbs.flow_control && device_is_iwarp(&session->device) &&
	       (params->rate.limit > 0 || (!session->comm.traits->credits_last && params_by_time(params)));
}

static void settle_completions(struct session *session)
{
	struct params *params = &session->params;
	const struct transport_traits *transport = session->traffic.transport;
	const bool by_credits = credits_end_strides(session);

	session->signals_all = adapter_signals_all(&session->device.attr, transport);
	if (!session->signals_all && !by_credits)
		return;
	if (params_given(params, "cq-mod") && params->verbs.cq_mod > 1)
		log_warning("%s signals a completion for every message%s, not for every %uth as --cq-mod asks",
			    adapter_of(&session->device.attr)->signals_all || by_credits ? session->device.name
											 : transport->name,
			    !by_credits		     ? ""
			    : params->rate.limit > 0 ? " of a test with a rate limit"
						     : " of a test by time",
			    (unsigned)params->asked.cq_mod);
	params->asked.cq_mod = 1;
	params->verbs.cq_mod = 1;
}

int session_settle(struct session *session)
{
	const struct verbs_config *verbs = &session->params.verbs;

	session->largest = verbs->all_sizes ? verbs->sweep.last : verbs->size;
	settle_completions(session);
	return session->traffic.transport->frames ? session_fit_frames(session) : 0;
}

void session_settle_limits(struct session *session)
{
	if (session->largest > session->resources.max_message)
		session->largest = session->resources.max_message;
	session->params.verbs.rx_depth = session->resources.rx_depth;
}
