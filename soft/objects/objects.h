/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion queues and channels, shared receive queues, memory regions: functions other than verbs. */
#pragma once

#include "host/core.h"

struct mr_file;

void soft_cq_overrun(uint32_t index);	   /* an initiator found it full */
void soft_cq_free_abandoned(void);	   /* with the tables */
void soft_channel_add(struct core_cq *cq); /* to its channel, and from it; soft_self.lock is held */
void soft_channel_remove(struct core_cq *cq);
void soft_channel_wake(uint32_t cq_index); /* writes an event that an initiator counted and could not write */
/*
 * The descriptor of that channel, which stays open while soft_self.lock, which the caller holds, is held; -1: there is
 * none.
 */
int soft_channel_descriptor(uint32_t number);
void soft_srq_limit_reached(uint32_t queue_index); /* reported by an initiator */

/* Shares pages of an implicit region, until it is deregistered. 0 or a negative errno. */
int soft_mr_demand(uint32_t key, uint64_t start, uint64_t length, bool writes);
/* What a peer needs to map a region that is not in the data file; the caller closes its fd. */
int soft_mr_file(uint32_t key, struct mr_file *file);
