/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What happens to shared receive queues besides verbs? See srq.c. */
#ifndef SOFT_SRQ_H
#define SOFT_SRQ_H

#include <stdint.h>

void soft_srq_limit_reached(uint32_t queue_index); /* an initiator found it so */

#endif
