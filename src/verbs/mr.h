/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The buffers of a test and their registration. perftest_resources.c opens, wr.c asks for the slots. */
#ifndef VERBS_MR_H
#define VERBS_MR_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "verbs/resources.h"

/* Of all regions; 0: it can't be, reported. */
uint64_t mr_bytes(const struct verbs_config *config, uint64_t max_size);
/* 0 or -errno, reported. Fills buffers, mrs, num_buffers and qp_region_bytes. */
int mr_open(struct resources *resources, uint64_t max_size);
void mr_close(struct resources *resources);

/* Of the queue pair with this index; only of halves that exist. Page-aligned. */
uint8_t *mr_send_region(const struct resources *resources, unsigned index);
uint8_t *mr_recv_region(const struct resources *resources, unsigned index);
struct ibv_mr *mr_of(const struct resources *resources, unsigned index);

/* The buffer in which the slots of the queue pair are. */
const struct buffer *mr_buffer(const struct resources *resources, unsigned index);

#endif
