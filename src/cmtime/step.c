// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The names of the steps, in tables, messages and documents. Scripts depend on them. */
#include "cmtime/step.h"

const char *step_name(enum step step)
{
	static const char *const names[STEP_COUNT] = {
		[STEP_FULL_CONNECT] = "full connect",	[STEP_CREATE_ID] = "create id",
		[STEP_BIND_ADDR] = "bind addr",		[STEP_RESOLVE_ADDR] = "resolve addr",
		[STEP_RESOLVE_ROUTE] = "resolve route", [STEP_CREATE_QP] = "create qp",
		[STEP_INIT_QP_ATTR] = "init qp attr",	[STEP_INIT_QP] = "init qp",
		[STEP_RTR_QP_ATTR] = "rtr qp attr",	[STEP_RTR_QP] = "rtr qp",
		[STEP_RTS_QP_ATTR] = "rts qp attr",	[STEP_RTS_QP] = "rts qp",
		[STEP_CM_CONNECT] = "cm connect",	[STEP_ESTABLISH] = "establish",
		[STEP_DISCONNECT] = "disconnect",	[STEP_DESTROY_ID] = "destroy id",
		[STEP_DESTROY_QP] = "destroy qp",
	};

	return names[step];
}
