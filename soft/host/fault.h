/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fault injection, to test the program that uses the device: PERFTEST_SOFT_FAULT="WORD:N[,WORD:N...]", see fault.c. */
#ifndef SOFT_FAULT_H
#define SOFT_FAULT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

enum soft_fault {
	FAULT_NONE,
	FAULT_OPEN_DEVICE,
	FAULT_ALLOC_PD,
	FAULT_REG_MR,
	FAULT_REREG_MR,
	FAULT_ALLOC_MW,
	FAULT_ALLOC_DM,
	FAULT_CREATE_COMP_CHANNEL,
	FAULT_CREATE_CQ,
	FAULT_RESIZE_CQ,
	FAULT_OPEN_XRCD,
	FAULT_CREATE_SRQ,
	FAULT_MODIFY_SRQ,
	FAULT_CREATE_QP,
	FAULT_MODIFY_QP,
	FAULT_CREATE_AH,
	FAULT_ATTACH_MCAST,
	FAULT_CREATE_FLOW,
	FAULT_CREATE_COUNTERS,
	FAULT_CREATE_WQ,
	FAULT_CREATE_RWQ_IND_TABLE,
	FAULT_ALLOC_TD,
	FAULT_ALLOC_PARENT_DOMAIN,
	FAULT_POST_SEND,
	FAULT_POST_RECV,
	FAULT_POST_SRQ_RECV,
	FAULT_POLL_CQ,
	FAULT_REQ_NOTIFY_CQ,
	FAULT_CM_CREATE_ID, /* rdma_cm's */
	FAULT_CM_BIND_ADDR,
	FAULT_CM_RESOLVE_ADDR,
	FAULT_CM_RESOLVE_ROUTE,
	FAULT_CM_CONNECT,
	FAULT_CM_LISTEN,
	FAULT_CM_ACCEPT,
	FAULT_CM_REJECT,
	FAULT_CM_DISCONNECT,
	FAULT_CM_INIT_QP_ATTR,
	FAULT_CM_SET_OPTION,
	FAULT_CM_MIGRATE_ID,
	FAULT_CM_JOIN_MULTICAST,
	FAULT_CM_GET_EVENT,
	FAULT_CALLS, /* number of calls; the faults below are not calls */
	FAULT_CM_ADDR_ERROR = FAULT_CALLS,
	FAULT_CM_ROUTE_ERROR,
	FAULT_CM_UNREACHABLE,
	FAULT_CORRUPT,	    /* a request's data */
	FAULT_CORRUPT_FROM, /* ... and of all requests after it */
	FAULT_DROP,
	FAULT_DROP_FROM,
	FAULT_DELAY,
	FAULT_REORDER,
	FAULT_COUNT,
};

/*
 * Called when the first device or event channel is opened: reads the variable if it has changed. 0, or -EINVAL,
 * reported.
 */
int soft_fault_read(void);
/* Counts a call. True: it is the one that fails. Does not return if the fault is to kill the process. */
bool soft_fault_strikes(enum soft_fault fault);
/* Zeroed memory for the object that a call creates; NULL with ENOMEM: there is none, or it is the call that fails. */
void *soft_fault_alloc(enum soft_fault fault, size_t size);
/* Puts a counting wrapper around each data path operation that is to fail. Others stay as they are. */
void soft_fault_install(struct ibv_context_ops *ops);

/* For faults that occur once: is any of these requested? Is it due now? If not, this call counts. */
bool soft_fault_is_wanted(enum soft_fault fault);
bool soft_fault_is_next(enum soft_fault fault); /* does not use it up */
bool soft_fault_is_due(enum soft_fault fault);
void soft_fault_pass(enum soft_fault fault);
uint64_t soft_fault_number(enum soft_fault fault); /* the number after the plus sign, or 0 */

#endif
