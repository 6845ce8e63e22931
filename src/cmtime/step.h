/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The steps in the life of a connection, in the order of the classic table, and when each happened. */
#pragma once

#include <stdint.h>

enum step {
	STEP_FULL_CONNECT, /* from the first call for a connection until it is established */
	STEP_CREATE_ID,
	STEP_BIND_ADDR,
	STEP_RESOLVE_ADDR,
	STEP_RESOLVE_ROUTE,
	STEP_CREATE_QP,
	STEP_INIT_QP_ATTR,
	STEP_INIT_QP,
	STEP_RTR_QP_ATTR,
	STEP_RTR_QP,
	STEP_RTS_QP_ATTR,
	STEP_RTS_QP,
	STEP_CM_CONNECT,
	STEP_ESTABLISH,
	STEP_DISCONNECT,
	STEP_DESTROY_ID,
	STEP_DESTROY_QP,
	STEP_COUNT,
};

/*
 * Time stamps of a step of one connection; begin 0: it did not happen.
 *
 *   asked   it was put into the queue of the threads, or was due (--rate); 0: it did not wait
 *   begin   the call was made
 *   event   the answer was read from the event channel; 0: the step consists of the call alone
 *   taken   a thread started to handle the answer; 0 as above
 *   end     the step was complete
 *
 * The time of a step is begin to end. The service time (of the kernel, the network and the peer) is begin to event, or
 * all of it if there is no event. The queued time, waiting for one of our threads, is asked to begin and event to
 * taken.
 */
struct step_times {
	uint64_t asked, begin, event, taken, end; /* cycles */
};

/* "cm connect" */
const char *step_name(enum step step);
