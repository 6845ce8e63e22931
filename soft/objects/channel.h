/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion channels: functions other than verbs. See channel.c. */
#pragma once

#include "host/core.h"

void soft_channel_add(struct core_cq *cq); /* to its channel, and from it; soft_self.lock is held */
void soft_channel_remove(struct core_cq *cq);
void soft_channel_wake(uint32_t cq_index); /* writes an event that an initiator counted and could not write */
/*
 * The descriptor of that channel, which stays open while soft_self.lock, which the caller holds, is held; -1: there is
 * none.
 */
int soft_channel_descriptor(uint32_t number);
