// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --use_hugepages: pages of the kernel's default huge page size, from the pool in /proc/sys/vm/nr_hugepages. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/host.h"
#include "memory/memory.h"
#include "util/arith.h"
#include "util/log.h"

/* Of one huge page; 2 MiB where the kernel does not say. */
static size_t page_bytes(void)
{
	size_t kib = 2048;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "re");

	if (!file)
		return kib << 10;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Hugepagesize: %zu kB", &kib) == 1)
			break;
	}
	fclose(file);
	return kib << 10;
}

/*
 * How many of these pages can be had? The kernel promises pages of the whole machine, and where memory has to come from
 * one NUMA node (--numa_node, or the device's), or from the pages of a cgroup, a page that is not there is a SIGBUS
 * when it is touched. For a call of the kernel's it is EFAULT.
 */
static size_t pages_at_hand(uint8_t *pages, size_t wanted, size_t page)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	size_t count = 0;

	if (fd < 0)
		return wanted;
	while (count < wanted && (read(fd, pages + count * page, 1) == 1 || errno != EFAULT))
		count++;
	close(fd);
	return count;
}

static int hugepages_alloc(struct buffer *buffer, struct ibv_context *context)
{
	size_t page = page_bytes();
	/* Such mappings are made and unmade in whole pages. */
	size_t whole = arith_round_up(buffer->length, page);
	size_t at_hand;
	void *pages = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	(void)context;
	if (pages == MAP_FAILED) {
		int err = errno;

		log_error("--use_hugepages: the buffer takes %zu huge page%s of %zu KiB: %s; make some "
			  "with 'sysctl vm.nr_hugepages=%zu' as root, or leave the option out",
			  whole / page, whole == page ? "" : "s", page >> 10, strerror(err), whole / page);
		return -err;
	}
	at_hand = pages_at_hand(pages, whole / page, page);
	if (at_hand < whole / page) {
		munmap(pages, whole);
		log_error("--use_hugepages: the buffer takes %zu huge page%s of %zu KiB, and only %zu can be had of "
			  "the NUMA node that memory is taken from, or of this control group (hugetlb): make some "
			  "there, in /sys/devices/system/node/node*/hugepages, choose another with --numa_node, raise "
			  "the group's limit, or leave the option out",
			  whole / page, whole == page ? "" : "s", page >> 10, at_hand);
		return -ENOMEM;
	}
	buffer->addr = pages;
	return 0;
}

static void hugepages_release(struct buffer *buffer)
{
	munmap(buffer->addr, arith_round_up(buffer->length, page_bytes()));
}

const struct memory_ops memory_hugepages = {
	.name = "hugepages",
	.is_pooled = true,
	.alloc = hugepages_alloc,
	.free = hugepages_release,
	.copy_in = memory_host_copy_in,
	.copy_out = memory_host_copy_out,
};
