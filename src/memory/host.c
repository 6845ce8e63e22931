// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ordinary memory of this process. Mapped pages and not malloc(): registration pins and may remap whole pages, which
 * must not contain other data. See kinds.h.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/kinds.h"
#include "memory/memory.h"
#include "util/log.h"

int memory_host_alloc(struct buffer *buffer, struct ibv_context *context)
{
	void *pages = mmap(NULL, buffer->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)context;
	if (pages == MAP_FAILED) {
		int err = errno;

		return log_fail(-err, "no memory for a buffer of %zu bytes: %s; lower -s, or the number of buffers",
				buffer->length, strerror(err));
	}
	buffer->addr = pages;
	return 0;
}

void memory_host_free(struct buffer *buffer)
{
	munmap(buffer->addr, buffer->length);
}

void memory_host_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes, enum copy_direction which)
{
	(void)buffer;
	(void)which;
	memcpy(to, from, bytes);
}

const struct memory_ops memory_host = {
	.name = "host",
	.alloc = memory_host_alloc,
	.free = memory_host_free,
	.copy = memory_host_copy,
};
