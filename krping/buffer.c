// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes a buffer accessible to the device, in one of the two memory modes.
 *
 * reg: a memory region that is registered again, with a new key, by a work request before each use.
 *
 * dma: the protection domain's keys for all memory of this host, for local use and for the peer.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "endpoint.h"

static int map(struct krping_endpoint *endpoint, struct krping_buffer *buffer)
{
	sg_init_one(&buffer->sg, buffer->data, buffer->size);
	if (ib_dma_map_sg(endpoint->pd->device, &buffer->sg, 1, DMA_BIDIRECTIONAL) != 1)
		return krping_result_fail(endpoint->result, -EIO, "a buffer cannot be mapped for the device");
	buffer->is_mapped = true;
	return 0;
}

static int alloc_mr(struct krping_endpoint *endpoint, struct krping_buffer *buffer)
{
	struct ib_device *device = endpoint->pd->device;
	unsigned int pages = DIV_ROUND_UP(offset_in_page(buffer->data) + buffer->size, PAGE_SIZE);
	unsigned int most = device->attrs.max_fast_reg_page_list_len;
	struct ib_mr *mr;

	if (pages > most)
		return krping_result_fail(endpoint->result, -EOPNOTSUPP,
					  "size=%zu takes %u pages; %s registers at most %u in one region",
					  buffer->size, pages, endpoint->result->device, most);
	mr = ib_alloc_mr(endpoint->pd, IB_MR_TYPE_MEM_REG, pages);
	if (IS_ERR(mr))
		return krping_result_fail(endpoint->result, PTR_ERR(mr), "no memory region from %s: %pe",
					  endpoint->result->device, mr);
	buffer->mr = mr;
	return 0;
}

int krping_buffer_open(struct krping_endpoint *endpoint, struct krping_buffer *buffer)
{
	int err;

	buffer->size = endpoint->command->size;
	buffer->data = kzalloc(buffer->size, GFP_KERNEL | __GFP_NOWARN);
	if (!buffer->data)
		return krping_result_fail(endpoint->result, -ENOMEM, "no %zu bytes of memory in one piece",
					  buffer->size);
	err = map(endpoint, buffer);
	if (!err && !endpoint->command->dma)
		err = alloc_mr(endpoint, buffer);
	return err;
}

void krping_buffer_close(struct krping_endpoint *endpoint, struct krping_buffer *buffer)
{
	if (buffer->mr)
		ib_dereg_mr(buffer->mr);
	if (buffer->is_mapped)
		ib_dma_unmap_sg(endpoint->pd->device, &buffer->sg, 1, DMA_BIDIRECTIONAL);
	kfree(buffer->data);
	memset(buffer, 0, sizeof(*buffer));
}

void krping_buffer_note_invalidation(struct krping_endpoint *endpoint, struct krping_buffer *buffer)
{
	if (buffer->mr && endpoint->invalidated_rkey == buffer->mr->rkey)
		buffer->is_registered = false;
}

struct krping_remote krping_buffer_advert(const struct krping_endpoint *endpoint, const struct krping_buffer *buffer)
{
	struct krping_remote remote = {.size = buffer->size};

	if (endpoint->command->dma) {
		remote.address = sg_dma_address(&buffer->sg);
		remote.rkey = endpoint->pd->unsafe_global_rkey;
	} else {
		remote.address = buffer->mr->iova;
		remote.rkey = buffer->mr->rkey;
	}
	return remote;
}

struct ib_sge krping_buffer_sge(const struct krping_endpoint *endpoint, const struct krping_buffer *buffer, u32 size,
				bool is_source_of_write)
{
	struct ib_sge sge = {.length = size};

	if (endpoint->command->dma || (is_source_of_write && krping_has(endpoint->command, KRPING_LOCAL_DMA_LKEY))) {
		sge.addr = sg_dma_address(&buffer->sg);
		sge.lkey = endpoint->pd->local_dma_lkey;
	} else {
		sge.addr = buffer->mr->iova;
		sge.lkey = buffer->mr->lkey;
	}
	return sge;
}

/* iWARP: the peer answers a read with a write. */
int krping_buffer_sink_access(const struct krping_endpoint *endpoint)
{
	bool is_iwarp = rdma_protocol_iwarp(endpoint->pd->device, endpoint->cm_id->port_num);

	return IB_ACCESS_LOCAL_WRITE | (is_iwarp ? IB_ACCESS_REMOTE_WRITE : 0);
}

void krping_buffer_to_cpu(struct krping_endpoint *endpoint, struct krping_buffer *buffer)
{
	ib_dma_sync_single_for_cpu(endpoint->pd->device, sg_dma_address(&buffer->sg), buffer->size, DMA_BIDIRECTIONAL);
}

void krping_buffer_to_device(struct krping_endpoint *endpoint, struct krping_buffer *buffer)
{
	ib_dma_sync_single_for_device(endpoint->pd->device, sg_dma_address(&buffer->sg), buffer->size,
				      DMA_BIDIRECTIONAL);
}
