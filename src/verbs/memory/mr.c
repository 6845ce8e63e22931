// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Buffers and memory regions. The layout for 3 QPs: | send 0 | send 1 | send 2 | recv 0 | recv 1 | recv 2 |, with only
 * the halves that this side needs; with --mr_per_qp each QP has a buffer | send | recv |. The peer writes to and reads
 * from the receive regions. See mr.h.
 */
#include "verbs/memory/mr.h"
#include "verbs/device/host_page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "memory/memory.h"
#include "util/arith.h"
#include "util/log.h"
#include "util/stop.h"
#include "verbs/device/locked_memory.h"
#include "verbs/memory/slots.h"
#include "verbs/resources.h"

#define FIRST_MESSAGE	1   /* value of its last byte, with write latency */
#define KERNEL_ENOTSUPP 524 /* of the kernel alone: strerror() does not know it */

/*
 * Receives keep the length of the largest message while the small messages of a sweep cycle over a page (see queue.h),
 * the larger one of both hosts, so that page is added; and so is the alignment of the payload after a GRH. With
 * --data_validation there are several slots instead. 0: impossible, reported.
 */
static uint64_t qp_region_size(const struct verbs_config *config, uint64_t max_size, uint64_t page)
{
	const uint32_t header = transport_traits(config->transport)->recv_header_bytes;
	uint64_t bytes = max_size;

	if (config->data_validation)
		return slot_grid_bytes(config, max_size, &bytes) ? 0 : arith_round_up(bytes, page);
	bytes += header;
	if (config->traffic.open_loop && config->traffic.polls_memory) {
		uint32_t step;
		const uint32_t count = traffic_slots(max_size, &step);

		bytes = (uint64_t)step * count;
	}
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
 * With relaxed ordering the device may reorder its writes to memory, which is faster, but a program that polls the last
 * byte of a message may then see it before the others: so not for plain write latency. The access flag is optional: the
 * library drops it if it is not supported.
 */
static unsigned access_flags(const struct resources *resources)
{
	const struct verbs_config *config = resources->config;
	unsigned access = IBV_ACCESS_LOCAL_WRITE;

	/*
	 * Memory that is registered in another way has no optional access flags: mlx5 refuses them for device memory.
	 */
	if (!resources->traffic.polls_memory && !config->disable_relaxed && !config->memory->register_mr)
		access |= IBV_ACCESS_RELAXED_ORDERING;
	if (config->odp)
		access |= IBV_ACCESS_ON_DEMAND;
	switch (resources->traffic.verb) {
	case VERB_SEND:
		break;
	case VERB_WRITE:
		access |= IBV_ACCESS_REMOTE_WRITE;
		break;
	case VERB_READ:
		access |= IBV_ACCESS_REMOTE_READ;
		/* On iWARP the response to a READ is a write into the reader's registered memory. */
		if (device_is_iwarp(resources->device))
			access |= IBV_ACCESS_REMOTE_WRITE;
		break;
	case VERB_ATOMIC:
		access |= IBV_ACCESS_REMOTE_ATOMIC;
		break;
	}
	return access;
}

/* Parts of a buffer: what this side sends from, and what the peer accesses. */
static uint64_t halves(const struct traffic *traffic)
{
	return (uint64_t)traffic->posts + traffic->peer_posts;
}

static uint64_t buffer_bytes(const struct resources *resources)
{
	return halves(&resources->traffic) * resources->qp_region_bytes * (resources->num_qps / resources->num_buffers);
}

static struct ibv_mr *register_dmabuf(struct ibv_pd *pd, const struct buffer *buffer, unsigned access)
{
#if HAVE_DECL_IBV_REG_DMABUF_MR
	return ibv_reg_dmabuf_mr(pd, buffer->fd_offset, buffer->length, (uintptr_t)buffer->addr, buffer->fd,
				 (int)access);
#else
	(void)pd;
	(void)buffer;
	(void)access;
	errno = EOPNOTSUPP; /* libibverbs before rdma-core 34 */
	return NULL;
#endif
}

/* Is it the library, the driver or the kernel that takes no dmabuf? Then a peer memory module may know the address. */
static bool takes_no_dmabuf(int err)
{
	return err == EOPNOTSUPP || err == EPROTONOSUPPORT || err == EINVAL || err == ENOTTY || err == ENOSYS ||
	       err == KERNEL_ENOTSUPP;
}

/* What NVIDIA's driver answers for an adapter that its GPU cannot reach. */
static const char *registration_error(int err)
{
	return err == KERNEL_ENOTSUPP ? "its driver lets this adapter have no access (error 524), as where PCIe has no "
					"direct path between them"
				      : strerror(err);
}

static struct ibv_mr *mr_register_buffer(struct resources *resources, const struct device *device, struct ibv_pd *pd,
					 const struct buffer *buffer, unsigned access)
{
	struct ibv_mr *mr;

	if (buffer->ops->register_mr)
		return buffer->ops->register_mr(buffer, pd, access);
	if (resources->config->data_direct)
		return data_direct_register(device, buffer, pd, access);
	if (resources->config->hints.is_used)
		return tlp_hint_register(device, buffer, pd, access,
					 pd == resources->second_pd ? resources->second_hint : resources->hint);
	if (buffer->fd >= 0) {
		mr = register_dmabuf(pd, buffer, access);
		if (mr || resources->config->dmabuf || !takes_no_dmabuf(errno))
			return mr;
		resources->dmabuf_refused = errno;
	}
	return ibv_reg_mr(pd, buffer->addr, buffer->length, access);
}

const char *mr_doubt(const struct resources *resources)
{
	const struct buffer *buffer = &resources->buffers[0];

	return resources->config->data_direct || buffer->fd < 0 ? NULL : buffer->doubt;
}

const char *mr_way(const struct resources *resources)
{
	const struct buffer *buffer = &resources->buffers[0];

	if (buffer->ops->register_mr)
		return "device";
	if (resources->config->data_direct)
		return "dmabuf for data direct";
	if (buffer->fd >= 0)
		return resources->dmabuf_refused ? "address, since the dmabuf was refused" : "dmabuf";
	return resources->config->odp ? "address, paged on demand" : "address";
}

/* What was tried before the address that the device has refused. */
static void describe_refused(const struct resources *resources, const struct buffer *buffer, char *text, size_t size)
{
	text[0] = '\0';
	if (resources->dmabuf_refused)
		snprintf(text, size, " as a dmabuf: %s; and by its address",
			 registration_error(resources->dmabuf_refused));
	else if (buffer->refused[0])
		snprintf(text, size, " by its address, as the driver exports no dmabuf (%s)", buffer->refused);
}

/* The kernel has no pages behind the addresses of such memory; a module that knows them has not been asked. */
static const char *address_advice(const struct resources *resources, const struct buffer *buffer, int err)
{
	const bool by_address = !buffer->ops->register_mr && (buffer->fd < 0 || resources->dmabuf_refused);

	return err == -EFAULT && buffer->ops->is_far && by_address
		       ? "; the kernel does not know such addresses without a peer memory module: nvidia_peermem for "
			 "NVIDIA's GPUs, efa_nv_peermem for them with EFA"
		       : "";
}

/*
 * Some adapters have keys with relaxed ordering only. Would it register the buffer with that, which this test leaves
 * out since the CPU polls the last byte of a message, or the user did?
 */
static const char *ordering_advice(struct resources *resources, const struct device *device, struct ibv_pd *pd,
				   const struct buffer *buffer, unsigned access, int err)
{
	struct ibv_mr *mr;

	if (access & IBV_ACCESS_RELAXED_ORDERING || buffer->ops->register_mr || err == -ENOMEM || err == -EFAULT)
		return "";
	mr = mr_register_buffer(resources, device, pd, buffer, access | IBV_ACCESS_RELAXED_ORDERING);
	if (!mr)
		return "";
	ibv_dereg_mr(mr);
	return resources->traffic.polls_memory
		       ? "; it does so with relaxed ordering only, by which the last byte of a message may be written "
			 "before others: give --write_with_imm (qperf: rc_rdma_write_lat)"
		       : "; it does so with relaxed ordering only: omit --disable_pcie_relaxed";
}

/* With --mr_per_qp each buffer belongs to one QP and its device. */
static int register_for(struct resources *resources, unsigned index, const struct device *device, struct ibv_pd *pd,
			unsigned access)
{
	const struct buffer *buffer = &resources->buffers[index % resources->num_buffers];
	const uint64_t bytes = buffer_bytes(resources);
	const char *doubt;
	char advice[512], refused[192];
	int err;

	resources->mrs[index] = mr_register_buffer(resources, device, pd, buffer, access);
	if (resources->mrs[index])
		return 0;
	err = errno ? -errno : -EIO;
	if (err == -EINTR && stop_requested()) /* gigabytes take a software device seconds */
		return err;
	doubt = err == -ENOMEM ? NULL : mr_doubt(resources);
	locked_memory_advice(device, -err, bytes, advice, sizeof(advice));
	describe_refused(resources, buffer, refused, sizeof(refused));
	return log_fail(err, "%s refuses to register %llu bytes of %s memory%s: %s%s%s%s%s%s%s%s", device->name,
			(unsigned long long)bytes, buffer->ops->name, refused, registration_error(-err),
			address_advice(resources, buffer, err),
			ordering_advice(resources, device, pd, buffer, access, err), advice,
			err != -ENOMEM ? ""
			: advice[0]    ? "; or lower "
				       : "; lower ",
			err != -ENOMEM ? "" : verbs_config_names(resources->config)->memory, doubt ? "\n" : "",
			doubt ?: "");
}

static int open_buffer(struct resources *resources, unsigned index, unsigned access)
{
	const bool is_only = resources->num_buffers == 1;
	const struct device *device = is_only ? resources->device : resources_device(resources, index);
	uint64_t bytes = buffer_bytes(resources);
	struct buffer *buffer = &resources->buffers[index];
	int err;

	if (bytes > SIZE_MAX) { /* on 32-bit hosts */
		return log_fail(-ENOMEM, "a buffer of %llu bytes is too large for a %zu-bit process; lower %s",
				(unsigned long long)bytes, 8 * sizeof(void *),
				verbs_config_names(resources->config)->memory);
	}
	err = resources->config->data_direct ? data_direct_check(device) : 0;
	if (!err && resources->config->data_direct && is_only && resources->second_pd)
		err = data_direct_check(resources->device->second);
	err = err ?: buffer_open(buffer, resources->config->memory, bytes, device->context);
	if (!err && resources->config->dmabuf && buffer->fd < 0)
		return log_fail(-EOPNOTSUPP,
				"the driver cannot export %s memory as a dmabuf%s%s%s: a newer driver (of NVIDIA, with "
				"the open kernel modules), or a kernel with CONFIG_DMABUF, is needed; without a dmabuf "
				"option it is registered by its address, which needs a peer memory module",
				buffer->ops->name, buffer->refused[0] ? " (" : "", buffer->refused,
				buffer->refused[0] ? ")" : "");
	if (!err)
		err = register_for(resources, index, device, is_only ? resources->pd : resources_pd(resources, index),
				   access);
	if (!err && is_only && resources->second_pd)
		err = register_for(resources, 1, resources->device->second, resources->second_pd, access);
	/* At last: a limit of locked memory is met before gigabytes are filled, and soft0 has no content to move. */
	return err ? err : buffer_fill(buffer, resources->config->payload_file);
}

/* Once all buffers exist: using one may delay the allocation of another. */
static int begin_buffers(const struct resources *resources)
{
	int err = 0;

	for (unsigned i = 0; !err && i < resources->num_buffers; i++) {
		struct buffer *buffer = &resources->buffers[i];

		err = buffer->ops->begin ? buffer->ops->begin(buffer) : 0;
	}
	return err;
}

/*
 * Plain write latency polls for bytes that count from 1, so the last byte of each message size must start as zero. It
 * is cleared here, because a classic peer may send the first message of a size before this side is ready for that size.
 * All other bytes are cleared for mr_first_message(), unless they have a payload.
 */
static void clear_polled_bytes(const struct resources *resources, uint64_t max_size)
{
	for (unsigned i = 0; i < resources->num_qps; i++) {
		uint8_t *region = mr_recv_region(resources, i);

		if (!resources->config->payload_file[0]) {
			memset(region, 0, resources->qp_region_bytes);
			continue;
		}
		for (uint64_t size = 1; size < max_size; size *= 2)
			region[size - 1] = 0;
		region[max_size - 1] = 0;
	}
}

uint64_t mr_first_message(const struct resources *resources)
{
	const volatile uint8_t *region = mr_recv_region(resources, 0);
	uint64_t bytes = resources->config->payload_file[0] ? 0 : resources->qp_region_bytes;

	for (; bytes; bytes--) {
		const uint8_t last = region[bytes - 1];

		if (last)
			return last == FIRST_MESSAGE ? bytes : 0;
	}
	return 0;
}

uint64_t mr_bytes(const struct verbs_config *config, uint64_t max_size)
{
	return halves(&config->traffic) * qp_region_size(config, max_size, host_common_page(config->peer_page_bytes)) *
	       config->num_qps;
}

/* A single buffer is registered with both devices. */
static unsigned mr_count(const struct resources *resources)
{
	return resources->num_buffers == 1 && resources->second_pd ? 2 : resources->num_buffers;
}

static int open_hints(struct resources *resources)
{
	const struct hint_config *hints = &resources->config->hints;
	int err = hints->is_used ? tlp_hint_open(resources->device, hints, &resources->hint) : 0;

	if (!err && hints->is_used && resources->second_pd)
		err = tlp_hint_open(resources->device->second, hints, &resources->second_hint);
	return err;
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
	resources->mrs = calloc(mr_count(resources), sizeof(struct ibv_mr *));
	if (!resources->buffers || !resources->mrs)
		return log_fail(-ENOMEM, "no memory for %u memory regions", count);
	err = open_hints(resources);
	if (err)
		return err;
	for (unsigned i = 0; i < count; i++) {
		err = open_buffer(resources, i, access);
		if (err)
			return err;
	}
	if (resources->traffic.polls_memory)
		clear_polled_bytes(resources, max_size);
	return begin_buffers(resources);
}

static void close_buffers(struct resources *resources)
{
	for (unsigned i = 0; resources->buffers && i < resources->num_buffers; i++)
		buffer_close(&resources->buffers[i]);
}

void mr_close(struct resources *resources)
{
	/* A software device would copy their contents back into private memory, which takes seconds for some GiB. */
	if (resources->device && resources->device->is_software && resources->config->memory == &memory_host)
		close_buffers(resources);
	for (unsigned i = 0; resources->mrs && i < mr_count(resources); i++)
		if (resources->mrs[i])
			ibv_dereg_mr(resources->mrs[i]);
	tlp_hint_close(resources->device, resources->hint);
	tlp_hint_close(resources->device ? resources->device->second : NULL, resources->second_hint);
	resources->hint = resources->second_hint = NULL;
	close_buffers(resources);
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
	if (resources->num_buffers > 1)
		return resources->mrs[index];
	return resources->mrs[resources->second_pd && resources_is_second(resources, index)];
}
