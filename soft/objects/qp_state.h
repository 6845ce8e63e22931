/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Allowed state transitions of a queue pair. See qp_state.c. */
#pragma once

#include "host/core.h"

/* 0 or -EINVAL. */
int soft_qp_state_check(uint32_t type, enum ibv_qp_state from, enum ibv_qp_state to, int mask);
int soft_qp_attr_check(struct ibv_context *context, const struct ibv_qp_attr *attr, int mask);
