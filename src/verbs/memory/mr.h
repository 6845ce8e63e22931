/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The buffers of a test and their registration. Opened by perftest_resources.c; wr.c gets the addresses of the slots
 * from here.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stddef.h>
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
/* Of a buffer that the device has refused, or did not reach (struct buffer); NULL: nothing is known. */
const char *mr_doubt(const struct resources *resources);
struct ibv_mr *mr_of(const struct resources *resources, unsigned index);

/* Address and key by which our requests and the peer's access these regions: of the registration, or of maker.h. */
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

/*
 * --- data_direct.c: --use_data_direct ---
 *
 * NVIDIA adapters access GPU memory through an additional PCIe function, bypassing the CPU (mlx5dv_reg_dmabuf_mr(3),
 * MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT). libmlx5 is opened at run time.
 */

/* Does the device support it? 0, or -EOPNOTSUPP and a sentence. */
int data_direct_probe(const struct device *device, char *reason, size_t reason_size);
/* The same, reported. */
int data_direct_check(const struct device *device);
/* Registers a buffer that has a dmabuf; after one of the two checks. NULL with errno if the device refuses. */
struct ibv_mr *data_direct_register(const struct device *device, const struct buffer *buffer, struct ibv_pd *pd,
				    unsigned access);

/*
 * --- tlp_hint.c: --ph, --tph_mem, --cpu_id ---
 *
 * The adapter adds hints to its PCIe accesses to a region, so that data goes to the cache of the CPU that will read it
 * (TLP processing hints, PCI Express Base Specification 6.17). A handle for them (ibv_alloc_dmah(3)) is passed when the
 * region is registered (ibv_reg_mr_ex(3)); both functions are in rdma-core 59 or newer, and are looked up at run time.
 * Never run on an adapter that supports them.
 */

/*
 * struct ibv_dmah_init_attr and struct ibv_mr_init_attr, with the layout of libibverbs, for builds with older headers.
 */
struct tlp_hint_init {
	uint32_t comp_mask;
	uint32_t cpu_id;
	uint8_t ph;
	uint8_t tph_mem_type;
};

struct tlp_hint_region {
	size_t length;
	int access;
	uint64_t comp_mask;
	uint64_t iova;
	void *addr;
	int fd;
	uint64_t fd_offset;
	struct ibv_dmah *dmah;
	void *buf; /* since rdma-core 64; not read */
};

void tlp_hint_fill(const struct hint_config *config, struct tlp_hint_init *init);
void tlp_hint_fill_region(const struct buffer *buffer, unsigned access, struct ibv_dmah *dmah,
			  struct tlp_hint_region *region);

/* 0, or -EOPNOTSUPP, reported: the library or the device does not support them. */
int tlp_hint_check(const struct device *device);
/* 0, or -errno, reported: the library, the device or its driver does not support them. */
int tlp_hint_open(const struct device *device, const struct hint_config *config, struct ibv_dmah **dmah);
/* Registers with the device's handle. NULL with errno if the device refuses. */
struct ibv_mr *tlp_hint_register(const struct device *device, const struct buffer *buffer, struct ibv_pd *pd,
				 unsigned access, struct ibv_dmah *dmah);
/* NULL is allowed. To be called once no region uses it. */
void tlp_hint_close(const struct device *device, struct ibv_dmah *dmah);
