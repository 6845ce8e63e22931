/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Loses, delays and reorders requests, for tests. See disturbance.c. */
#pragma once

#include "host/core.h"

/* The operations of a new queue pair: those given or, if the run has such faults, wrappers around them. */
const struct qp_ops *soft_disturbance_ops(const struct qp_ops *ops);
bool soft_disturbance_is_wanted(void);
