/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --ph, --tph_mem, --cpu_id: the adapter adds hints to its PCIe accesses to a region, so that data goes to the cache of
 * the CPU that will read it (TLP processing hints, PCI Express Base Specification 6.17). A handle for them
 * (ibv_alloc_dmah(3)) is passed when the region is registered (ibv_reg_mr_ex(3)); both functions are in rdma-core 59 or
 * newer, and are looked up at run time. Called by mr.c. Never run on an adapter that supports them.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

struct buffer;
struct device;
struct hint_config; /* verbs/verbs_config.h */
struct ibv_dmah;

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
