/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Wakes a program that sleeps on a completion channel. See notify.c. */
#pragma once

#include "host/core.h"

void soft_channel_notify(struct soft_peer *peer, struct cq_row *row, bool is_solicited);
bool soft_channel_write(int fd); /* one event */
void soft_channel_rouse(struct core_cq *cq);
void soft_channel_rouse_pending(struct core_cq *cq); /* if there is something to poll */
