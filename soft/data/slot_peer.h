/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The process that a request names. See slot_peer.c. */
#pragma once

#include "host/core.h"

/* NULL: there is no process. Referenced by the queue pair, whose send queue is locked. */
struct soft_peer *soft_slot_peer(struct core_qp *qp, uint32_t slot);
void soft_slot_peers_release(struct core_qp *qp);
