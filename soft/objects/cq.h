/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion queues: functions other than verbs. See cq.c. */
#pragma once

#include <stdint.h>

void soft_cq_overrun(uint32_t index); /* an initiator found it full */
void soft_cq_free_abandoned(void);    /* with the tables */
