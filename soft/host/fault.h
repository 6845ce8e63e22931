/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fault injection, to test the program that uses the device: PERFTEST_SOFT_FAULT="WORD:N[,WORD:N...]", see fault.c. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/* Calls, named as the verb, or as rdma_cm's function: in capitals here, otherwise in PERFTEST_SOFT_FAULT. */
#define FAULT_CALL_ROWS(ROW) \
	ROW(OPEN_DEVICE) ROW(ALLOC_PD) ROW(REG_MR) ROW(REREG_MR) ROW(ALLOC_MW) ROW(ALLOC_DM) \
	ROW(CREATE_COMP_CHANNEL) ROW(CREATE_CQ) ROW(RESIZE_CQ) ROW(OPEN_XRCD) ROW(CREATE_SRQ) ROW(MODIFY_SRQ) \
	ROW(CREATE_QP) ROW(MODIFY_QP) ROW(CREATE_AH) ROW(ATTACH_MCAST) ROW(CREATE_FLOW) ROW(CREATE_WQ) \
	ROW(CREATE_RWQ_IND_TABLE) ROW(ALLOC_TD) ROW(ALLOC_PARENT_DOMAIN) ROW(POST_SEND) ROW(POST_RECV) \
	ROW(POST_SRQ_RECV) ROW(POLL_CQ) ROW(REQ_NOTIFY_CQ) ROW(CM_CREATE_ID) ROW(CM_BIND_ADDR) ROW(CM_RESOLVE_ADDR) \
	ROW(CM_RESOLVE_ROUTE) ROW(CM_CONNECT) ROW(CM_LISTEN) ROW(CM_ACCEPT) ROW(CM_REJECT) ROW(CM_DISCONNECT) \
	ROW(CM_INIT_QP_ATTR) ROW(CM_SET_OPTION) ROW(CM_MIGRATE_ID) ROW(CM_JOIN_MULTICAST) ROW(CM_GET_EVENT)
/* What is no call: corrupt is of a request's data, corrupt_from of that and all requests after it. */
#define FAULT_OTHER_ROWS(ROW) \
	ROW(CM_ADDR_ERROR) ROW(CM_ROUTE_ERROR) ROW(CM_UNREACHABLE) ROW(CORRUPT) ROW(CORRUPT_FROM) ROW(DROP) \
	ROW(DROP_FROM) ROW(DELAY) ROW(REORDER)
/* Events that the device may report with a completion: IBV_EVENT_... */
#define FAULT_EVENT_ROWS(ROW) \
	ROW(PORT_ERR) ROW(PORT_ACTIVE) ROW(DEVICE_FATAL) ROW(GID_CHANGE) ROW(LID_CHANGE) ROW(PKEY_CHANGE) \
	ROW(SM_CHANGE) ROW(CLIENT_REREGISTER)
/* clang-format on */

#define FAULT_ENUMERATOR(name) FAULT_##name,

enum soft_fault {
	FAULT_NONE,
	FAULT_CALL_ROWS(FAULT_ENUMERATOR) FAULT_CALLS_END, /* not a fault */
	FAULT_OTHER_ROWS(FAULT_ENUMERATOR) FAULT_OTHERS_END,
	FAULT_EVENT_ROWS(FAULT_ENUMERATOR) FAULT_COUNT,
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

/* For faults that occur once: calls until it is due, 0: it is not requested. Is it due now? If not, this call counts.
 */
unsigned long soft_fault_left(enum soft_fault fault);
bool soft_fault_is_due(enum soft_fault fault);
void soft_fault_pass(enum soft_fault fault);
uint64_t soft_fault_number(enum soft_fault fault); /* the number after the plus sign, or 0 */
