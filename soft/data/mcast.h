/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who is in a multicast group? See mcast.c. */
#ifndef SOFT_DATA_MCAST_H
#define SOFT_DATA_MCAST_H

#include "host/core.h"

struct soft_peer;

#define SOFT_MCAST_QPN 0xffffffu /* all in the group of the address handle */

/* Begins with *slot = 0; the next process at or after it that may be in a group, or SOFT_MAX_PROCESSES. */
uint32_t soft_mcast_next_process(uint32_t slot);
/* That process, held by the queue pair; NULL: it can't be had, and is not asked again for a while. */
struct soft_peer *soft_mcast_process(struct core_qp *qp, uint32_t slot);
/* A queue pair of the process's that is in the group, from row *row on, which is moved behind it; 0: no more. */
uint32_t soft_mcast_next_member(const struct soft_peer *peer, const union ibv_gid *group, uint32_t *row);
void soft_mcast_forget(void); /* the directory of processes: this one leaves it */
void soft_mcast_reset(void);  /* in a forked child */

#endif
