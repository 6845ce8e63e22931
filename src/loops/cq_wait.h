/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sleeping on completion channels (-e). A loop whose poll finds nothing calls cq_wait_arm(), polls once
 * more, and only if that finds nothing too calls cq_wait_sleep(): a completion between the first poll
 * and the arming would not wake the loop.
 */
#ifndef LOOPS_CQ_WAIT_H
#define LOOPS_CQ_WAIT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct cq_wait {
	unsigned count; /* of channels */
	struct cq_channel {
		struct ibv_comp_channel *channel;
		struct ibv_cq *cq;
		bool armed;
		unsigned unacked; /* events; an ack takes a lock, so they are acked many at once */
	} channels[4];		  /* of sends and receives, on two devices */
};

/* Adds a channel; NULL is none. */
void cq_wait_add(struct cq_wait *cq_wait, struct ibv_comp_channel *channel, struct ibv_cq *cq);
/* 1: it armed something, poll again before sleeping; 0: all was armed; or -errno. */
int cq_wait_arm(struct cq_wait *cq_wait);
/* Until an event, a signal, or so many nanoseconds. 0 or -errno. */
int cq_wait_sleep(struct cq_wait *cq_wait, uint64_t timeout_ns);
/* Acks what is left; before the queues are destroyed. */
void cq_wait_close(struct cq_wait *cq_wait);

#endif
