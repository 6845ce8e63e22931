/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion queues, their channels (-e) and vector (-X). Called by perftest_resources.c. */
#pragma once

#include <stdint.h>

struct resources;

/*
 * --unsolicited_write: CQEs for incoming messages, whose number no receive limits: room for all messages of a
 * measurement (0: for as many as fit in the time) and for the receives, or as many as the device allows.
 */
uint64_t cq_unsolicited_entries(uint64_t receives, uint64_t messages, uint64_t most);
/* 0 or -errno, reported. send_depth, recv_depth: of one QP; recv_depth is 0 if nothing is received. */
int cq_open(struct resources *resources, uint32_t send_depth, uint32_t recv_depth);
void cq_close(struct resources *resources);
