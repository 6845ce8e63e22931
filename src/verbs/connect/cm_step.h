/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state machine of a QP that rdma_cm connects: a table, which calls nothing and needs no device. cm_connect.c does
 * what it says.
 */
#pragma once

#include <rdma/rdma_cma.h>
#include <stdbool.h>

#include "verbs/connect/cm.h"

enum cm_state {
	CM_IDLE,     /* active side: not started, or to be restarted; passive side: waits for a request */
	CM_ADDRESS,  /* active side: resolving the address */
	CM_ROUTE,    /* active side: resolving the route */
	CM_ASKED,    /* active side: request sent */
	CM_ANSWERED, /* passive side: accepted, the peer's confirmation is missing */
	CM_READY,
};

enum cm_action {
	CM_IGNORE,
	CM_FIND_ROUTE,
	CM_ASK,
	CM_CONFIRM, /* move the QP to RTS, then notify the peer */
	CM_ANSWER,  /* move the QP to RTS, then accept */
	CM_TAKE,    /* connected; on UD the event has the peer's address */
	CM_RESTART, /* from CM_IDLE, after a pause */
	CM_GIVE_UP,
};

struct cm_step {
	enum cm_state next;
	enum cm_action action;
};

/* attempts: including this one. datagrams: UD, on which the passive side is done once it has accepted. */
struct cm_step cm_step(enum cm_state state, enum rdma_cm_event_type event, enum cm_verdict verdict, unsigned attempts,
		       bool datagrams);
