// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Next steps for a QP that rdma_cm connects. See cm_qp.h. */
#include "verbs/connect/cm_qp.h"

static const struct {
	enum cm_state state;
	enum rdma_cm_event_type event;
	struct cm_step step;
} rows[] = {
	{CM_ADDRESS, RDMA_CM_EVENT_ADDR_RESOLVED, {CM_ROUTE, CM_FIND_ROUTE}},
	{CM_ROUTE, RDMA_CM_EVENT_ROUTE_RESOLVED, {CM_ASKED, CM_ASK}},
	{CM_ASKED, RDMA_CM_EVENT_CONNECT_RESPONSE, {CM_READY, CM_CONFIRM}},
	/* UD, and iWARP, on which the kernel moves the QP itself. */
	{CM_ASKED, RDMA_CM_EVENT_ESTABLISHED, {CM_READY, CM_TAKE}},
	/* A repeated request replaces the previous one, which the active side has given up. */
	{CM_IDLE, RDMA_CM_EVENT_CONNECT_REQUEST, {CM_ANSWERED, CM_ANSWER}},
	{CM_ANSWERED, RDMA_CM_EVENT_CONNECT_REQUEST, {CM_ANSWERED, CM_ANSWER}},
	/* UD: there is no confirmation of the reply, but the request is repeated if it was lost. */
	{CM_READY, RDMA_CM_EVENT_CONNECT_REQUEST, {CM_READY, CM_ANSWER}},
	{CM_ANSWERED, RDMA_CM_EVENT_ESTABLISHED, {CM_READY, CM_TAKE}},
};

struct cm_step cm_step(enum cm_state state, enum rdma_cm_event_type event, enum cm_verdict verdict, unsigned attempts,
		       bool datagrams)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cm_step step = rows[i].step;

		if (rows[i].state != state || rows[i].event != event || verdict != CM_GOES_ON)
			continue;
		if (state == CM_READY && !datagrams)
			continue;
		if (datagrams && step.action == CM_ANSWER)
			step.next = CM_READY;
		return step;
	}
	if (verdict == CM_GOES_ON || state == CM_IDLE)
		return (struct cm_step){state, CM_IGNORE};
	if (verdict == CM_AGAIN && state != CM_READY && attempts < CM_ATTEMPTS)
		return (struct cm_step){CM_IDLE, CM_RESTART};
	return (struct cm_step){state, CM_GIVE_UP};
}
