// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Huge pages of a size that was asked for. See huge_pages.h; mmap(2) says how the size is put into its flags. */
#include "cxi/huge_pages.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/host.h"
#include "util/log.h"
#include "util/sysfs.h"
#include "util/units.h"

#define PAGE_2M	   (2ULL << 20)
#define PAGE_1G	   (1ULL << 30)
#define SIZE_SHIFT 26 /* MAP_HUGE_SHIFT: log2 of the page's size goes there */

uint64_t cxi_huge_page_bytes(enum huge_pages size)
{
	return size == HUGE_2M ? PAGE_2M : size == HUGE_1G ? PAGE_1G : 0;
}

/* None where there is no such file. */
static uint64_t count_pages(enum huge_pages size, const char *file)
{
	char path[PATH_MAX], text[32];
	uint64_t count = 0;

	snprintf(path, sizeof(path), "%s/kernel/mm/hugepages/hugepages-%" PRIu64 "kB/%s", sysfs_root(),
		 cxi_huge_page_bytes(size) >> 10, file);
	(void)units_parse_u64(sysfs_line(path, text, sizeof(text)), 0, INT32_MAX, &count);
	return count;
}

int cxi_huge_pages_check(enum huge_pages size, uint64_t needed)
{
	const char *name = size == HUGE_2M ? "2M" : "1G";
	const uint64_t found = count_pages(size, "free_hugepages");

	if (found >= needed)
		return 0;
	log_error("Insufficient %s huge pages. Need %" PRIu64 " to run, and %" PRIu64 " are free\n"
		  "root can make %" PRIu64 " with hugeadm --pool-pages-min %s:%" PRIu64
		  ", or give a smaller --buf-sz, or no --use-hp",
		  name, needed, found, needed - found, name, count_pages(size, "nr_hugepages") + needed - found);
	return -ENOMEM;
}

static uint64_t whole(uint64_t bytes, uint64_t page)
{
	return (bytes + page - 1) / page * page;
}

static int map_pages(struct buffer *buffer, uint64_t page)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | __builtin_ctzll(page) << SIZE_SHIFT;
	void *pages = mmap(NULL, whole(buffer->length, page), PROT_READ | PROT_WRITE, flags, -1, 0);

	if (pages == MAP_FAILED) {
		const int err = errno;

		log_error("--use-hp: no huge pages for a buffer of %zu bytes: %s", buffer->length, strerror(err));
		return -err;
	}
	buffer->addr = pages;
	return 0;
}

static int alloc_2m(struct buffer *buffer, struct ibv_context *context)
{
	(void)context;
	return map_pages(buffer, PAGE_2M);
}

static int alloc_1g(struct buffer *buffer, struct ibv_context *context)
{
	(void)context;
	return map_pages(buffer, PAGE_1G);
}

static void free_2m(struct buffer *buffer)
{
	munmap(buffer->addr, whole(buffer->length, PAGE_2M));
}

static void free_1g(struct buffer *buffer)
{
	munmap(buffer->addr, whole(buffer->length, PAGE_1G));
}

const struct memory_ops memory_huge_2m = {
	.name = "2M huge pages",
	.is_pooled = true,
	.alloc = alloc_2m,
	.free = free_2m,
	.copy_in = memory_host_copy_in,
	.copy_out = memory_host_copy_out,
};

const struct memory_ops memory_huge_1g = {
	.name = "1G huge pages",
	.is_pooled = true,
	.alloc = alloc_1g,
	.free = free_1g,
	.copy_in = memory_host_copy_in,
	.copy_out = memory_host_copy_out,
};
