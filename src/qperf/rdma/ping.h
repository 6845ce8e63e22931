/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ping-pongs that loops/ does not have. Each has the interface of a loop of loops/run.h. */
#pragma once

#include "loops/run.h"

struct losses {
	uint64_t messages; /* unanswered */
	uint64_t cycles;   /* spent waiting for them */
};

/*
 * Over UC or UD, which may lose messages without any error. Each message has a number as immediate data, which the
 * answer repeats: a message without a timely answer is lost, and the next one is sent; a later answer is recognized by
 * its number, and discarded. finish_cycles is the time of the last answer.
 */
int ping_numbered(struct run *run, uint64_t timeout_cycles, struct losses *losses);
/*
 * rc_rdma_write_poll_lat of qperf 0.4.11: each side waits until the first and last byte of its memory have the values
 * that only the other side writes. received: memory of run's message.
 */
int ping_classic(struct run *run, bool client, volatile uint8_t *received);
