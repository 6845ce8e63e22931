/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the members of a multicast group. See mcast.c. */
#pragma once

#include "host/core.h"

struct soft_peer;

#define SOFT_MCAST_QPN 0xffffffu /* all members of the group in the address handle */

/* The next process at or after `slot` that may be in a group, or SOFT_MAX_PROCESSES. */
uint32_t soft_mcast_next_process(uint32_t slot);
/* That process, referenced by the queue pair; NULL: unreachable. */
struct soft_peer *soft_mcast_process(struct core_qp *qp, uint32_t slot);
/* The next queue pair of the process in the group, from row *row on, which is advanced; 0: no more. */
uint32_t soft_mcast_next_member(const struct soft_peer *peer, const union ibv_gid *group, uint32_t *row);
void soft_mcast_forget(void); /* closes the runtime directory, which this process leaves */
void soft_mcast_reset(void);  /* in a forked child */
