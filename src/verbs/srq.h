/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared receive queues (SRQ): one for each set of queues whose queue pairs share their receives. */
#ifndef VERBS_SRQ_H
#define VERBS_SRQ_H

#include <stdint.h>

struct resources;

/*
 * With XRC also the domain that the queue is of, for which no file stands: no other process can join it. After the
 * protection domain and the completion queues, before the queue pairs, which name it. Nothing where queue pairs have
 * receive queues of their own. 0 or -errno, reported.
 */
int srq_open(struct resources *resources);
/* The number that a request of the peer names, of the queue that receives the queue pair's messages; 0: none has one.
 */
uint32_t srq_number(const struct resources *resources, unsigned index);
void srq_close(struct resources *resources);

#endif
