/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion queues, their channels (-e) and vector (-X); perftest_resources.c calls. */
#ifndef VERBS_CQ_H
#define VERBS_CQ_H

#include <stdint.h>

struct resources;

/* 0 or -errno, reported. send_depth, recv_depth: of one queue pair; recv_depth 0: nothing is received. */
int cq_open(struct resources *resources, uint32_t send_depth, uint32_t recv_depth);
void cq_close(struct resources *resources);

#endif
