/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared receive queues: functions other than verbs. See srq.c. */
#pragma once

#include <stdint.h>

void soft_srq_limit_reached(uint32_t queue_index); /* reported by an initiator */
