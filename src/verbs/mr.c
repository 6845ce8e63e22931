// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The layout, for 3 queue pairs: | send 0 | send 1 | send 2 | recv 0 | recv 1 | recv 2 |, a half
 * only where this side needs it; with --mr_per_qp a buffer | send | recv | for each. The peer
 * writes to and reads from the receive regions.
 */
#include "verbs/mr.h"
#include "verbs/frame_slots.h"
#include "verbs/host_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "memory/memory.h"
#include "util/arith.h"
#include "util/log.h"
#include "verbs/locked_memory.h"
#include "verbs/resources.h"
#include "verbs/slots.h"

/*
 * Receives keep the length of the largest message while small messages of a sweep walk over
 * a page (see queue.h), the larger one of both hosts, so that page comes on top; and so does what aligns the payload
 * behind a GRH. With
 * --data_validation there are several slots instead. 0: it can't be, reported.
 */
static uint64_t qp_region_size(const struct verbs_config *config, uint64_t max_size, uint64_t page)
{
	const uint32_t header = transport_traits(config->transport)->recv_header_bytes;
	uint64_t bytes = max_size;

	if (config->data_validation)
		return slot_grid_bytes(config, max_size, &bytes) ? 0 : arith_round_up(bytes, page);
	bytes += header;
	if (transport_traits(config->transport)->frames) {
		const struct frame_slots slots = frame_slots(config, max_size, page);

		bytes = (uint64_t)slots.step * slots.count;
	}
	if (bytes < page)
		bytes = page;
	if (header)
		bytes += host_cache_line();
	if (config->all_sizes)
		bytes += page;
	return arith_round_up(bytes, page);
}

/*
 * Relaxed ordering lets the device reorder its writes to memory, which is faster, but a program
 * that polls the last byte of a message then may see it before the others: not for plain write latency.
 * The flag is optional to the device: the library takes it away where it is not supported.
 */
static unsigned access_flags(const struct resources *resources)
{
	const struct verbs_config *config = resources->config;
	unsigned access = IBV_ACCESS_LOCAL_WRITE;

	if (!resources->traffic.polls_memory && !config->disable_relaxed)
		access |= IBV_ACCESS_RELAXED_ORDERING;
	switch (resources->traffic.verb) {
	case VERB_SEND:
		break;
	case VERB_WRITE:
		access |= IBV_ACCESS_REMOTE_WRITE;
		break;
	case VERB_READ:
		access |= IBV_ACCESS_REMOTE_READ;
		/* iWARP answers a READ by a write into the reader's registered memory. */
		if (resources->device->context->device->transport_type == IBV_TRANSPORT_IWARP)
			access |= IBV_ACCESS_REMOTE_WRITE;
		break;
	case VERB_ATOMIC:
		access |= IBV_ACCESS_REMOTE_ATOMIC;
		break;
	}
	return access;
}

/* Of a buffer: one that this side sends from, one that the peer's requests reach. */
static uint64_t halves(const struct traffic *traffic)
{
	return (uint64_t)traffic->posts + traffic->peer_posts;
}

static uint64_t buffer_bytes(const struct resources *resources)
{
	return halves(&resources->traffic) * resources->qp_region_bytes * (resources->num_qps / resources->num_buffers);
}

static struct ibv_mr *mr_register_buffer(struct ibv_pd *pd, const struct buffer *buffer, unsigned access)
{
	if (buffer->ops->register_mr)
		return buffer->ops->register_mr(buffer, pd, access);
	if (buffer->fd < 0)
		return ibv_reg_mr(pd, buffer->addr, buffer->length, access);
#if HAVE_DECL_IBV_REG_DMABUF_MR
	return ibv_reg_dmabuf_mr(pd, buffer->fd_offset, buffer->length, (uintptr_t)buffer->addr, buffer->fd,
				 (int)access);
#else
	errno = EOPNOTSUPP; /* a libibverbs before rdma-core 34 */
	return NULL;
#endif
}

static int open_buffer(struct resources *resources, unsigned index, unsigned access)
{
	uint64_t bytes = buffer_bytes(resources);
	char advice[512];
	struct buffer *buffer = &resources->buffers[index];
	int err;

	if (bytes > SIZE_MAX) { /* where a pointer has 32 bits */
		log_error("a buffer of %llu bytes is more than a process of %zu bits can have; lower -s or -q",
			  (unsigned long long)bytes, 8 * sizeof(void *));
		return -ENOMEM;
	}
	err = buffer_open(buffer, resources->config->memory, bytes, resources->device->context);
	if (!err)
		err = buffer_fill(buffer, resources->config->payload_file);
	if (err)
		return err;
	resources->mrs[index] = mr_register_buffer(resources->pd, buffer, access);
	if (!resources->mrs[index]) {
		err = errno ? -errno : -EIO;
		locked_memory_advice(resources->device, -err, bytes, advice, sizeof(advice));
		log_error("%s refuses to register %llu bytes of %s memory: %s%s%s", resources->device->name,
			  (unsigned long long)bytes, buffer->ops->name, strerror(-err), advice,
			  err != -ENOMEM ? ""
			  : advice[0]	 ? "; or lower -s or -q"
					 : "; lower -s or -q");
		return err;
	}
	return 0;
}

/*
 * Plain write latency polls for bytes that count from 1: those of every size begin with zero. Now, because a classic
 * peer may send the first message of a size before this side has come to it.
 */
static void clear_polled_bytes(const struct resources *resources, uint64_t max_size)
{
	for (unsigned i = 0; i < resources->num_qps; i++) {
		const struct buffer *buffer = mr_buffer(resources, i);
		uint8_t *region = mr_recv_region(resources, i);

		for (uint64_t size = 1; size < max_size; size *= 2)
			buffer->ops->copy_in(buffer, region + size - 1, "", 1);
		buffer->ops->copy_in(buffer, region + max_size - 1, "", 1);
	}
}

uint64_t mr_bytes(const struct verbs_config *config, uint64_t max_size)
{
	return halves(&config->traffic) * qp_region_size(config, max_size, host_common_page(config->peer_page_bytes)) *
	       config->num_qps;
}

int mr_open(struct resources *resources, uint64_t max_size)
{
	const struct verbs_config *config = resources->config;
	unsigned access = access_flags(resources);
	unsigned count = config->mr_per_qp ? resources->num_qps : 1;
	int err;

	resources->qp_region_bytes = qp_region_size(config, max_size, host_common_page(config->peer_page_bytes));
	if (!resources->qp_region_bytes)
		return -EMSGSIZE;
	resources->relaxed = access & IBV_ACCESS_RELAXED_ORDERING;
	resources->num_buffers = count;
	resources->buffers = calloc(count, sizeof(*resources->buffers));
	resources->mrs = calloc(count, sizeof(struct ibv_mr *));
	if (!resources->buffers || !resources->mrs) {
		log_error("no memory for %u memory regions", count);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < count; i++) {
		err = open_buffer(resources, i, access);
		if (err)
			return err;
	}
	if (resources->traffic.polls_memory)
		clear_polled_bytes(resources, max_size);
	return 0;
}

void mr_close(struct resources *resources)
{
	for (unsigned i = 0; i < resources->num_buffers; i++) {
		if (resources->mrs && resources->mrs[i])
			ibv_dereg_mr(resources->mrs[i]);
		if (resources->buffers)
			buffer_close(&resources->buffers[i]);
	}
	free(resources->mrs);
	free(resources->buffers);
	resources->mrs = NULL;
	resources->buffers = NULL;
	resources->num_buffers = 0;
}

const struct buffer *mr_buffer(const struct resources *resources, unsigned index)
{
	return &resources->buffers[resources->num_buffers > 1 ? index : 0];
}

static uint8_t *region_of(const struct resources *resources, unsigned index, bool recv)
{
	uint64_t qps = resources->num_qps / resources->num_buffers;
	uint64_t number = resources->num_buffers > 1 ? 0 : index;

	if (recv && resources->traffic.posts)
		number += qps;
	return mr_buffer(resources, index)->addr + number * resources->qp_region_bytes;
}

uint8_t *mr_send_region(const struct resources *resources, unsigned index)
{
	return region_of(resources, index, false /* send */);
}

uint8_t *mr_recv_region(const struct resources *resources, unsigned index)
{
	return region_of(resources, index, true /* recv */);
}

struct ibv_mr *mr_of(const struct resources *resources, unsigned index)
{
	return resources->mrs[resources->num_buffers > 1 ? index : 0];
}
