/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sleeping on completion channels (-e). A loop whose poll finds nothing calls cq_wait_arm(), polls again, and only if
 * that finds nothing either calls cq_wait_sleep(): a completion between the first poll and the arming would not wake
 * the loop.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct poll_monitor;

struct cq_wait {
	unsigned count; /* of channels */
	struct cq_channel {
		struct ibv_comp_channel *channel;
		struct ibv_cq *cq;
		bool armed;
		unsigned unacked; /* events; an ack takes a lock, so many are acked at once */
	} channels[4];		  /* for sends and receives, on two devices */
};

/* Adds a channel, unless it is NULL. */
void cq_wait_add(struct cq_wait *cq_wait, struct ibv_comp_channel *channel, struct ibv_cq *cq);
/* 1: armed a queue, poll again before sleeping; 0: all were armed; or -errno. */
int cq_wait_arm(struct cq_wait *cq_wait);
/*
 * A poll found nothing: sleeps, and then a look is due, unless something may have arrived before the queues were armed.
 * 0 or -errno.
 */
int cq_wait_rest(struct cq_wait *cq_wait, struct poll_monitor *monitor, uint64_t timeout_ns);
/* Until an event, a signal, or timeout_ns nanoseconds. 0 or -errno. */
int cq_wait_sleep(struct cq_wait *cq_wait, uint64_t timeout_ns);
/* Acks the remaining events; before the queues are destroyed. */
void cq_wait_close(struct cq_wait *cq_wait);
