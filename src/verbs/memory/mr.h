/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The buffers of a test and their registration. Opened by perftest_resources.c; wr.c gets the addresses of the slots
 * from here.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

#include "verbs/resources.h"

/* Of all regions; 0: impossible, reported. */
uint64_t mr_bytes(const struct verbs_config *config, uint64_t max_size);
/* 0 or -errno, reported. Fills buffers, mrs, num_buffers and qp_region_bytes. */
int mr_open(struct resources *resources, uint64_t max_size);
void mr_close(struct resources *resources);

/* Of the QP with this index; only for halves that exist. Page-aligned. */
uint8_t *mr_send_region(const struct resources *resources, unsigned index);
uint8_t *mr_recv_region(const struct resources *resources, unsigned index);
/* How they were registered: "address", "dmabuf"; "device": memory of the device. As in docs/schema.json. */
const char *mr_way(const struct resources *resources);
struct ibv_mr *mr_of(const struct resources *resources, unsigned index);

/* Address and key by which our requests and the peer's access these regions: of the registration, or of mkey.h. */
static inline uint64_t mr_address(const struct resources *resources, const uint8_t *region)
{
	return resources->keys ? 0 : (uintptr_t)region;
}

static inline uint32_t mr_send_lkey(const struct resources *resources, unsigned index)
{
	return resources->keys ? resources->keys[index].send_lkey : mr_of(resources, index)->lkey;
}

static inline uint32_t mr_recv_lkey(const struct resources *resources, unsigned index)
{
	return resources->keys ? resources->keys[index].recv_lkey : mr_of(resources, index)->lkey;
}

static inline uint32_t mr_recv_rkey(const struct resources *resources, unsigned index)
{
	return resources->keys ? resources->keys[index].recv_rkey : mr_of(resources, index)->rkey;
}

/*
 * Plain write latency: the length of the first message that the peer has written into the first QP's region. 0: none,
 * or it cannot be detected (--payload_file_path). Called if polling for the last byte finds nothing.
 */
uint64_t mr_first_message(const struct resources *resources);

/* The buffer that contains the QP's slots. */
const struct buffer *mr_buffer(const struct resources *resources, unsigned index);
