// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --use_ib_dm, --use_ib_dm_dmabuf. See kinds.h. */
#include "memory/kinds.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/library.h"
#include "util/log.h"

/*
 * Offset of the buffer in the device memory, whose addresses start at zero: C does not allow arithmetic with a null
 * pointer. A whole page, since peers align their writes to pages.
 */
#define START 4096
#define WORD  4 /* adapters only copy whole, aligned words */

static struct {
	const char *name;
	struct ibv_context *context;
	int (*export)(struct ibv_dm *dm);
} other;

static const struct library_symbol symbols[] = {
	LIBRARY_ROW("ibv_dm_export_dmabuf_fd", other.export, .version = "IBVERBS_1.16"), /* rdma-core 62 */
	{.name = NULL},
};
static const struct library verbs = {.symbols = symbols, .comes_with = "the loaded libibverbs"};

uint64_t device_memory_bytes(struct ibv_context *context)
{
	struct ibv_device_attr_ex attr = {0};

	return ibv_query_device_ex(context, NULL, &attr) ? 0 : attr.max_dm_size;
}

int device_memory_probe_dmabuf(struct ibv_context *context, char *reason, size_t size)
{
	const char *name = ibv_get_device_name(context->device);
	struct ibv_alloc_dm_attr attr = {.length = START};
	int fd, err = library_open(&verbs, NULL, name, reason, size);
	struct ibv_dm *dm;

	if (err)
		return err;
	errno = 0;
	dm = ibv_alloc_dm(context, &attr);
	fd = dm ? other.export(dm) : -1;
	err = errno ? errno : EIO;
	if (dm)
		ibv_free_dm(dm);
	if (fd < 0) {
		snprintf(reason, size,
			 dm ? "%s cannot export its memory as a dmabuf: %s" : "%s cannot allocate memory: %s", name,
			 strerror(err));
		return -err;
	}
	close(fd);
	return 0;
}

int device_memory_choose(const char *name)
{
	struct ibv_device **list;
	char reason[256];
	int err = ENODEV;

	if (library_open(&verbs, NULL, "--use_ib_dm_dmabuf", reason, sizeof(reason)))
		return log_fail(-EOPNOTSUPP,
				"%s: a newer rdma-core is required; --use_ib_dm uses memory of the device of the test",
				reason);
	list = ibv_get_device_list(NULL);
	for (unsigned i = 0; list && list[i] && !other.context; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) != 0)
			continue;
		errno = 0;
		other.context = ibv_open_device(list[i]);
		err = errno ? errno : EIO;
	}
	if (list)
		ibv_free_device_list(list);
	if (!other.context)
		return log_fail(-err, "--use_ib_dm_dmabuf %s: %s", name, strerror(err));
	other.name = name;
	return 0;
}

static int alloc_on(struct buffer *buffer, struct ibv_context *context, const char *name)
{
	struct ibv_alloc_dm_attr attr = {.length = START + buffer->length};
	const uint64_t most = device_memory_bytes(context);
	struct ibv_dm *dm;

	if (!most)
		return log_fail(-EOPNOTSUPP, "%s has no memory of its own: use another kind, see --memory=list", name);
	if (most < attr.length)
		return log_fail(-ENOMEM,
				"%s has %" PRIu64 " bytes of memory of its own, but the buffer needs %zu: lower -s or "
				"-q, or with --data_validation -l or --recv_post_list, and omit -a",
				name, most, attr.length);
	dm = ibv_alloc_dm(context, &attr);
	if (!dm) {
		const int err = errno ? errno : EIO;

		return log_fail(-err,
				"cannot allocate %s memory: %zu of %" PRIu64
				" bytes: %s; other processes may use the rest, or with --mr_per_qp other queue pairs",
				name, attr.length, most, strerror(err));
	}
	buffer->addr = (uint8_t *)START;
	buffer->private = dm;
	return 0;
}

static int alloc_own(struct buffer *buffer, struct ibv_context *context)
{
	return alloc_on(buffer, context, ibv_get_device_name(context->device));
}

static int alloc_other(struct buffer *buffer, struct ibv_context *context)
{
	int err = alloc_on(buffer, other.context, other.name);

	(void)context;
	if (err)
		return err;
	buffer->fd = other.export(buffer->private);
	if (buffer->fd < 0) {
		err = errno ? errno : EIO;
		log_error("cannot get a dmabuf of the memory of %s: %s", other.name, strerror(err));
		ibv_free_dm(buffer->private);
		return -err;
	}
	buffer->fd_offset = START;
	return 0;
}

static uint64_t supply_of_other(struct ibv_context *context)
{
	(void)context;
	return device_memory_bytes(other.context);
}

static void device_memory_free(struct buffer *buffer)
{
	if (buffer->fd >= 0)
		close(buffer->fd);
	ibv_free_dm(buffer->private);
}

static struct ibv_mr *register_own(const struct buffer *buffer, struct ibv_pd *pd, unsigned access)
{
	return ibv_reg_dm_mr(pd, buffer->private, 0, START + buffer->length, access | IBV_ACCESS_ZERO_BASED);
}

/* The word that contains an offset, for reading or writing a part of it. */
static uint64_t word_start(uint64_t offset)
{
	return offset / WORD * WORD;
}

/* Copies only fail after an error that the device does not recover from; the first failure is reported. */
static void dm_copied(const struct buffer *buffer, int err)
{
	if (err)
		memory_copy_failed(buffer, strerror(err));
}

static void device_memory_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes,
			       enum copy_direction which)
{
	uint64_t offset = which == COPY_IN ? (uintptr_t)to : (uintptr_t)from;
	const uint64_t end = offset + bytes;
	const uint8_t *source = from;
	uint8_t *sink = to, word[WORD] = {0};

	while (offset < end) {
		const uint64_t start = word_start(offset);
		const bool is_whole = start == offset && end - offset >= WORD;
		const size_t part = is_whole ? (size_t)(end - offset) / WORD * WORD
					     : (start + WORD < end ? start + WORD : end) - offset;

		if (!is_whole)
			dm_copied(buffer, ibv_memcpy_from_dm(word, buffer->private, start, WORD));
		if (is_whole && which == COPY_IN) {
			dm_copied(buffer, ibv_memcpy_to_dm(buffer->private, offset, source, part));
		} else if (is_whole) {
			dm_copied(buffer, ibv_memcpy_from_dm(sink, buffer->private, offset, part));
		} else if (which == COPY_IN) {
			memcpy(word + (offset - start), source, part);
			dm_copied(buffer, ibv_memcpy_to_dm(buffer->private, start, word, WORD));
		} else {
			memcpy(sink, word + (offset - start), part);
		}
		offset += part;
		source += part;
		sink += part;
	}
}

const struct memory_ops memory_of_adapter = {
	.name = "device",
	.is_pooled = true,
	.is_far = true,
	.alloc = alloc_own,
	.free = device_memory_free,
	.copy = device_memory_copy,
	.supply = device_memory_bytes,
	.register_mr = register_own,
};

const struct memory_ops memory_of_other_adapter = {
	.name = "device",
	.is_pooled = true,
	.is_far = true,
	.alloc = alloc_other,
	.free = device_memory_free,
	.copy = device_memory_copy,
	.supply = supply_of_other,
};
