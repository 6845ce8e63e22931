/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which requests does the path lose, delay or let others overtake, because a test wants it? See disturbance.c. */
#ifndef SOFT_DISTURBANCE_H
#define SOFT_DISTURBANCE_H

#include "host/core.h"

/* The operations of a new queue pair: those given, or, in a run that is to be disturbed, others in front of them. */
const struct qp_ops *soft_disturbance_ops(const struct qp_ops *ops);
bool soft_disturbance_is_wanted(void);

#endif
