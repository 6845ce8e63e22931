/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sleeping on completion channels (-e). A loop whose poll finds nothing calls nap_arm(), polls once
 * more, and only if that finds nothing too calls nap_sleep(): a completion between the first poll
 * and the arming would wake nobody.
 */
#ifndef LOOPS_NAP_H
#define LOOPS_NAP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct nap {
	unsigned count; /* of channels */
	struct nap_bed {
		struct ibv_comp_channel *channel;
		struct ibv_cq *cq;
		bool armed;
		unsigned unacked; /* events; an ack takes a lock, so they are acked many at once */
	} beds[2];
};

/* Adds a channel; NULL is none. */
void nap_add(struct nap *nap, struct ibv_comp_channel *channel, struct ibv_cq *cq);
/* 1: it armed something, poll again before sleeping; 0: all was armed; or -errno. */
int nap_arm(struct nap *nap);
/* Until an event, a signal, or so many nanoseconds. 0 or -errno. */
int nap_sleep(struct nap *nap, uint64_t timeout_ns);
/* Acks what is left; before the queues are destroyed. */
void nap_close(struct nap *nap);

#endif
