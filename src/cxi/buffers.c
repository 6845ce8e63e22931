// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The layout and the contents of the buffers. See buffers.h. */
#include "cxi/buffers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory/gpu.h"
#include "memory/kinds.h"
#include "memory/memory.h"
#include "memory/pattern.h"
#include "util/arith.h"
#include "util/log.h"
#include "util/stop.h"

#define TX_BYTE 0xa5 /* contents of sends without --verify */

/* --- huge pages --- */

#define PAGE_2M (2ULL << 20)
#define PAGE_1G (1ULL << 30)

static uint64_t huge_page_bytes(enum huge_pages size)
{
	return size == HUGE_2M ? PAGE_2M : size == HUGE_1G ? PAGE_1G : 0;
}

static int check_huge_pages(enum huge_pages size, uint64_t needed)
{
	const char *name = size == HUGE_2M ? "2M" : "1G";
	const uint64_t page = huge_page_bytes(size);
	const uint64_t found = hugepages_count(page, "free_hugepages");

	if (found >= needed)
		return hugepages_choose(page, "--use-hp");
	return log_fail(-ENOMEM,
			"Insufficient %s huge pages. Need %" PRIu64 " to run, and %" PRIu64 " are free\n"
			"root can make %" PRIu64 " with hugeadm --pool-pages-min %s:%" PRIu64
			", or give a smaller --buf-sz, or omit --use-hp",
			name, needed, found, needed - found, name,
			hugepages_count(page, "nr_hugepages") + needed - found);
}

/* The page size of --use-hp, or of the system. */
static uint64_t page_bytes(const struct cxi_params *params)
{
	const uint64_t huge = huge_page_bytes((enum huge_pages)params->huge_pages);

	return huge ? huge : (uint64_t)sysconf(_SC_PAGESIZE);
}

/* --- layout --- */

/* Distance between sends. */
static uint64_t granularity_of(const struct cxi_params *params, uint64_t size)
{
	return arith_round_up(size, params->buf_align);
}

uint64_t cxi_buffer_length(const struct cxi_params *params, uint64_t page)
{
	/* at most 2^33 * 2^14 */
	const uint64_t bytes = granularity_of(params, cxi_sizes(params).last) * params->list;

	return arith_round_up(arith_smaller(bytes, params->buf_size), page);
}

struct cxi_run cxi_run_layout(const struct cxi_params *params, const struct cxi_buffers *buffers, uint64_t size)
{
	const uint64_t granularity = granularity_of(params, size);
	uint64_t slots = buffers->limit / granularity;

	if (!slots)
		slots = 1; /* the gap after the only send need not fit */
	return (struct cxi_run){
		.size = size,
		.granularity = granularity,
		.slots = arith_smaller(slots, params->list),
	};
}

/* --- memory --- */

/* The peer's options may require more memory than this host has. */
static int check_available(uint64_t bytes)
{
	const uint64_t available = memory_available("");

	if (bytes <= available)
		return 0;
	return log_fail(-ENOMEM,
			"the buffers need %" PRIu64 " bytes and this host has %" PRIu64
			" available: give a smaller --buf-sz, -s or -l",
			bytes, available);
}

/* One of both directions. */
struct direction {
	int gpu_index; /* CXI_NO_GPU: system memory */
	bool is_huge;
	uint64_t bytes;
};

static struct direction direction_of(const struct cxi_params *params, int gpu_index, bool is_used)
{
	const bool is_huge = is_used && gpu_index == CXI_NO_GPU && params->huge_pages != HUGE_OFF;

	return (struct direction){
		.gpu_index = gpu_index,
		.is_huge = is_huge,
		.bytes = is_used ? cxi_buffer_length(params, page_bytes(params)) : (uint64_t)sysconf(_SC_PAGESIZE),
	};
}

static int cxi_buffer_open(struct buffer *buffer, const struct direction *direction, const struct gpu_kind *gpu)
{
	int ret = 0;

	if (direction->gpu_index == CXI_NO_GPU)
		return buffer_open(buffer, direction->is_huge ? &memory_hugepages : &memory_host, direction->bytes,
				   NULL);
	ret = gpu_choose(gpu, direction->gpu_index);
	return ret ? ret : buffer_open(buffer, gpu->memory, direction->bytes, NULL);
}

/* 0, -EINTR: filling gigabytes takes seconds; or -EIO, reported. */
static int cxi_buffer_fill(const struct buffer *buffer, uint64_t bytes, uint8_t byte)
{
	uint8_t block[4096];

	memset(block, byte, sizeof(block));
	for (uint64_t at = 0; at < bytes; at += sizeof(block)) {
		if (stop_requested())
			return -EINTR;
		buffer_copy_in(buffer, buffer->addr + at, block, arith_smaller(bytes - at, sizeof(block)));
	}
	return memory_copies_failed() ? -EIO : 0;
}

int cxi_buffers_open(struct cxi_buffers *buffers, const struct cxi_params *params, bool sends, bool receives)
{
	const struct direction both[] = {direction_of(params, params->tx_gpu, sends),
					 direction_of(params, params->rx_gpu, receives)};
	struct buffer *const opened[] = {&buffers->tx, &buffers->rx};
	uint64_t system_bytes = 0, huge_bytes = 0;
	const struct gpu_kind *gpu = NULL;
	bool has_gpu = false;
	int ret = 0;

	*buffers = (struct cxi_buffers){.length = cxi_buffer_length(params, page_bytes(params))};
	buffers->limit = arith_smaller(params->buf_size, buffers->length);
	for (unsigned i = 0; i < 2; i++) {
		if (both[i].gpu_index != CXI_NO_GPU)
			has_gpu = true;
		else
			*(both[i].is_huge ? &huge_bytes : &system_bytes) += both[i].bytes;
	}
	buffers->pages_are_huge = huge_bytes > 0;
	if (huge_bytes)
		ret = check_huge_pages((enum huge_pages)params->huge_pages, huge_bytes / page_bytes(params));
	if (!ret)
		ret = check_available(system_bytes);
	if (!ret && has_gpu)
		ret = gpu_find((enum gpu_type)params->gpu_type, &gpu);
	if (ret)
		return ret;
	buffers->gpu = gpu ? gpu->name : NULL;
	for (unsigned i = 0; i < 2 && !ret; i++)
		ret = cxi_buffer_open(opened[i], &both[i], gpu);
	for (unsigned i = 0; i < 2 && !ret; i++)
		ret = cxi_buffer_fill(opened[i], both[i].bytes, i ? 0 : TX_BYTE);
	if (ret)
		cxi_buffers_close(buffers);
	return ret;
}

void cxi_buffers_close(struct cxi_buffers *buffers)
{
	buffer_close(&buffers->tx);
	buffer_close(&buffers->rx);
}

/* --- contents --- */

/* A send is identified by its slot, below CXI_MAX_LIST, and the number of its list. */
static struct pattern_source source_of(bool of_server, uint64_t slot, uint64_t list)
{
	return (struct pattern_source){.of_server = of_server, .qp = (uint32_t)slot, .message = list};
}

/* vacant: with what the places of the messages contain before. */
static void fill_slots(const struct buffer *buffer, const struct cxi_run *run, bool of_server, uint64_t list,
		       bool vacant)
{
	for (uint64_t slot = 0; slot < run->slots; slot++) {
		const struct pattern_source source = source_of(of_server, slot, list);

		pattern_fill(buffer, buffer->addr + slot * run->granularity, run->size, &source, vacant);
	}
}

void cxi_fill_list(const struct cxi_buffers *buffers, const struct cxi_run *run, bool of_server, uint64_t list)
{
	fill_slots(&buffers->tx, run, of_server, list, false);
}

void cxi_vacate(const struct cxi_buffers *buffers, const struct cxi_run *run, bool of_server)
{
	fill_slots(&buffers->rx, run, of_server, 0, true);
}

uint64_t cxi_check_list(const struct cxi_buffers *buffers, const struct cxi_run *run, bool of_server, uint64_t list,
			char *text, size_t text_size)
{
	uint64_t wrong = 0;

	for (uint64_t slot = 0; slot < run->slots; slot++) {
		const struct pattern_source source = source_of(of_server, slot, list);
		struct pattern_finding finding;

		pattern_check(&buffers->rx, buffers->rx.addr + slot * run->granularity, run->size, &source,
			      CXI_MAX_LIST, &finding);
		if (finding.verdict == PATTERN_RIGHT || wrong++)
			continue;
		snprintf(text, text_size,
			 "list %" PRIu64 ", offset %" PRIu64 " of the buffer: %" PRIu64 " of %" PRIu64
			 " bytes are wrong, the first at %" PRIu64 ": 0x%02x in place of 0x%02x%s",
			 list, slot * run->granularity, finding.wrong_bytes, run->size, finding.offset, finding.found,
			 finding.expected, finding.verdict == PATTERN_VACANT ? "; no data has arrived there" : "");
	}
	fill_slots(&buffers->rx, run, of_server, list + 1, true);
	return wrong;
}
