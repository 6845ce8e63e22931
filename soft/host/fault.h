/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fault injection, to test the program that uses the device: PERFTEST_SOFT_FAULT="WORD:N[,WORD:N...]", see fault.c. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/* Calls, by the word for each: the verb, or rdma_cm's function. */
#define FAULT_CALL_ROWS(ROW)                                                                                           \
	ROW(OPEN_DEVICE, "open_device")                                                                                \
	ROW(ALLOC_PD, "alloc_pd")                                                                                      \
	ROW(REG_MR, "reg_mr")                                                                                          \
	ROW(REREG_MR, "rereg_mr")                                                                                      \
	ROW(ALLOC_MW, "alloc_mw")                                                                                      \
	ROW(ALLOC_DM, "alloc_dm")                                                                                      \
	ROW(CREATE_COMP_CHANNEL, "create_comp_channel")                                                                \
	ROW(CREATE_CQ, "create_cq")                                                                                    \
	ROW(RESIZE_CQ, "resize_cq")                                                                                    \
	ROW(OPEN_XRCD, "open_xrcd")                                                                                    \
	ROW(CREATE_SRQ, "create_srq")                                                                                  \
	ROW(MODIFY_SRQ, "modify_srq")                                                                                  \
	ROW(CREATE_QP, "create_qp")                                                                                    \
	ROW(MODIFY_QP, "modify_qp")                                                                                    \
	ROW(CREATE_AH, "create_ah")                                                                                    \
	ROW(ATTACH_MCAST, "attach_mcast")                                                                              \
	ROW(CREATE_FLOW, "create_flow")                                                                                \
	ROW(CREATE_WQ, "create_wq")                                                                                    \
	ROW(CREATE_RWQ_IND_TABLE, "create_rwq_ind_table")                                                              \
	ROW(ALLOC_TD, "alloc_td")                                                                                      \
	ROW(ALLOC_PARENT_DOMAIN, "alloc_parent_domain")                                                                \
	ROW(POST_SEND, "post_send")                                                                                    \
	ROW(POST_RECV, "post_recv")                                                                                    \
	ROW(POST_SRQ_RECV, "post_srq_recv")                                                                            \
	ROW(POLL_CQ, "poll_cq")                                                                                        \
	ROW(REQ_NOTIFY_CQ, "req_notify_cq")                                                                            \
	ROW(CM_CREATE_ID, "cm_create_id")                                                                              \
	ROW(CM_BIND_ADDR, "cm_bind_addr")                                                                              \
	ROW(CM_RESOLVE_ADDR, "cm_resolve_addr")                                                                        \
	ROW(CM_RESOLVE_ROUTE, "cm_resolve_route")                                                                      \
	ROW(CM_CONNECT, "cm_connect")                                                                                  \
	ROW(CM_LISTEN, "cm_listen")                                                                                    \
	ROW(CM_ACCEPT, "cm_accept")                                                                                    \
	ROW(CM_REJECT, "cm_reject")                                                                                    \
	ROW(CM_DISCONNECT, "cm_disconnect")                                                                            \
	ROW(CM_INIT_QP_ATTR, "cm_init_qp_attr")                                                                        \
	ROW(CM_SET_OPTION, "cm_set_option")                                                                            \
	ROW(CM_MIGRATE_ID, "cm_migrate_id")                                                                            \
	ROW(CM_JOIN_MULTICAST, "cm_join_multicast")                                                                    \
	ROW(CM_GET_EVENT, "cm_get_event")

/* Faults that are not calls: corrupt is of a request's data, corrupt_from of that and all requests after it. */
#define FAULT_OTHER_ROWS(ROW)                                                                                          \
	ROW(CM_ADDR_ERROR, "cm_addr_error")                                                                            \
	ROW(CM_ROUTE_ERROR, "cm_route_error")                                                                          \
	ROW(CM_UNREACHABLE, "cm_unreachable")                                                                          \
	ROW(CORRUPT, "corrupt")                                                                                        \
	ROW(CORRUPT_FROM, "corrupt_from")                                                                              \
	ROW(DROP, "drop")                                                                                              \
	ROW(DROP_FROM, "drop_from")                                                                                    \
	ROW(DELAY, "delay")                                                                                            \
	ROW(REORDER, "reorder")

#define FAULT_ENUMERATOR(name, word) FAULT_##name,

enum soft_fault {
	FAULT_NONE,
	FAULT_CALL_ROWS(FAULT_ENUMERATOR) FAULT_CALLS_END, /* not a fault */
	FAULT_OTHER_ROWS(FAULT_ENUMERATOR) FAULT_COUNT,
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
