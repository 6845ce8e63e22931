/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What comes next for a queue pair that rdma_cm connects? A table without a device or a call in it;
 * cm_connect.c does what it says.
 */
#ifndef VERBS_CM_STEP_H
#define VERBS_CM_STEP_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>

#include "verbs/cm.h"

enum cm_state {
	CM_IDLE,     /* the asking side has not begun, or begins again; the other waits for its request */
	CM_ADDRESS,  /* asking side: the address is being resolved */
	CM_ROUTE,    /* asking side: the path */
	CM_ASKED,    /* asking side: the request is on its way */
	CM_ANSWERED, /* listening side: it was accepted, and the other side's word on that is missing */
	CM_READY,
};

enum cm_action {
	CM_IGNORE,
	CM_FIND_ROUTE,
	CM_ASK,
	CM_CONFIRM, /* move the queue pair to RTS, then tell the other side */
	CM_ANSWER,  /* move the queue pair to RTS, then accept */
	CM_TAKE,    /* connected; on UD the event has the peer's address */
	CM_RESTART, /* after a pause, from CM_IDLE */
	CM_GIVE_UP,
};

struct cm_step {
	enum cm_state next;
	enum cm_action action;
};

/* attempts: how many were made, this one included. datagrams: UD, where accepting is all that the listening side does.
 */
struct cm_step cm_step(enum cm_state state, enum rdma_cm_event_type event, enum cm_verdict verdict, unsigned attempts,
		       bool datagrams);

#endif
