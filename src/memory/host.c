// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ordinary memory of this process. Pages of its own rather than malloc()'s: registration pins
 * and may remap whole pages, and no neighbour should be on them.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/host.h"
#include "memory/memory.h"
#include "util/log.h"

static int alloc(size_t bytes, void **buffer)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED) {
		int err = errno;

		log_error("no memory for a buffer of %zu bytes: %s; lower -s, -q or -r", bytes, strerror(err));
		return -err;
	}
	*buffer = pages;
	return 0;
}

static void release(void *buffer, size_t bytes)
{
	munmap(buffer, bytes);
}

void memory_host_copy_in(void *buffer, const void *host, size_t bytes)
{
	memcpy(buffer, host, bytes);
}

void memory_host_copy_out(void *host, const void *buffer, size_t bytes)
{
	memcpy(host, buffer, bytes);
}

const struct memory_ops memory_host = {
	.name = "host",
	.alloc = alloc,
	.free = release,
	.copy_in = memory_host_copy_in,
	.copy_out = memory_host_copy_out,
};
