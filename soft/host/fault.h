/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which call is to fail, for tests of the program above? PERFTEST_SOFT_FAULT="CALL:N[,CALL:N...]", see fault.c. */
#ifndef SOFT_FAULT_H
#define SOFT_FAULT_H

#include <infiniband/verbs.h>
#include <stdbool.h>

enum soft_fault {
	FAULT_OPEN_DEVICE,
	FAULT_ALLOC_PD,
	FAULT_REG_MR,
	FAULT_CREATE_COMP_CHANNEL,
	FAULT_CREATE_CQ,
	FAULT_OPEN_XRCD,
	FAULT_CREATE_SRQ,
	FAULT_CREATE_QP,
	FAULT_MODIFY_QP,
	FAULT_CREATE_AH,
	FAULT_POST_SEND,
	FAULT_POST_RECV,
	FAULT_POST_SRQ_RECV,
	FAULT_POLL_CQ,
	FAULT_REQ_NOTIFY_CQ,
	FAULT_CORRUPT,	    /* no call: a message */
	FAULT_CORRUPT_FROM, /* ... and all behind it */
	FAULT_COUNT,
};

/* The first device is opened: reads the variable. 0, or -EINVAL, reported. */
int soft_fault_read(void);
/* Counts a call; true: it is the one that fails. */
bool soft_fault_strikes(enum soft_fault call);
/* Puts a counting function before each data path operation that is to fail. Others stay as they are. */
void soft_fault_install(struct ibv_context_ops *ops);

#endif
