// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pages from the kernel's huge page pools, one for each size (/sys/kernel/mm/hugepages). See kinds.h; mmap(2)
 * explains how its flags contain the page size.
 */
#include "memory/kinds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/arith.h"
#include "util/log.h"
#include "util/sysfs.h"
#include "util/terminal.h"

#define SIZE_SHIFT 26 /* MAP_HUGE_SHIFT, for log2 of the page size */

static struct {
	uint64_t page; /* bytes; 0: the kernel's default */
	const char *option;
} chosen = {0, "--use_hugepages"};

uint64_t hugepages_default_size(void)
{
	uint64_t kib = 2048;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "re");

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Hugepagesize: %" SCNu64 " kB", &kib) == 1)
			break;
	}
	if (file)
		fclose(file);
	return kib << 10;
}

static int ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

unsigned hugepages_sizes(uint64_t sizes[HUGEPAGES_MAX_SIZES])
{
	const struct dirent *entry;
	char path[PATH_MAX];
	unsigned count = 0;
	uint64_t kib;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/kernel/mm/hugepages", sysfs_root());
	folder = opendir(path);
	while (folder && count < HUGEPAGES_MAX_SIZES && (entry = readdir(folder)))
		if (sscanf(entry->d_name, "hugepages-%" SCNu64 "kB", &kib) == 1 && kib && kib <= UINT64_MAX >> 10)
			sizes[count++] = kib << 10;
	if (folder)
		closedir(folder);
	qsort(sizes, count, sizeof(sizes[0]), ascending);
	return count;
}

uint64_t hugepages_count(uint64_t page, const char *file)
{
	char path[PATH_MAX];
	uint64_t count = 0;

	snprintf(path, sizeof(path), "%s/kernel/mm/hugepages/hugepages-%" PRIu64 "kB/%s", sysfs_root(), page >> 10,
		 file);
	(void)sysfs_number(path, &count);
	return count;
}

const char *hugepages_command(uint64_t page, uint64_t count, char *text, size_t size)
{
	if (page == hugepages_default_size())
		snprintf(text, size, "sysctl vm.nr_hugepages=%" PRIu64, count);
	else
		snprintf(text, size, "echo %" PRIu64 " >/sys/kernel/mm/hugepages/hugepages-%" PRIu64 "kB/nr_hugepages",
			 count, page >> 10);
	return text;
}

const char *hugepages_title(uint64_t page, char *text, size_t size)
{
	if (page >> 30 << 30 == page)
		snprintf(text, size, "%" PRIu64 " GiB", page >> 30);
	else if (page >> 20 << 20 == page)
		snprintf(text, size, "%" PRIu64 " MiB", page >> 20);
	else
		snprintf(text, size, "%" PRIu64 " KiB", page >> 10);
	return text;
}

int hugepages_choose(uint64_t bytes, const char *option)
{
	uint64_t sizes[HUGEPAGES_MAX_SIZES];
	const unsigned count = hugepages_sizes(sizes);
	char list[256] = "", title[32];

	chosen.page = bytes;
	chosen.option = option;
	for (unsigned i = 0; i < count; i++) {
		if (sizes[i] == bytes || !bytes)
			return 0;
		text_list_add(list, sizeof(list), hugepages_title(sizes[i], title, sizeof(title)));
	}
	if (!bytes || (!count && bytes == hugepages_default_size())) /* not in sysfs: mmap() will tell */
		return 0;
	return log_fail(-EINVAL, "%s: this kernel has no huge pages of %s; its sizes: %s", option,
			hugepages_title(bytes, title, sizeof(title)), count ? list : "unknown");
}

/*
 * How many of these pages are really available? The kernel reserves pages of the whole machine. If the memory must be
 * on one NUMA node (--numa_node, or the device's), or count against a cgroup's limit, touching a missing page raises
 * SIGBUS; a system call fails with EFAULT instead.
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

static int too_few(uint64_t page, size_t needed, int err)
{
	const uint64_t free_pages = hugepages_count(page, "free_hugepages");
	const uint64_t there = hugepages_count(page, "nr_hugepages");
	char title[32], command[160];

	return log_fail(-err,
			"%s: the buffer needs %zu huge page%s of %s, but only %" PRIu64
			" are free: %s; reserve more with '%s' as root, or run without that option",
			chosen.option, needed, needed == 1 ? "" : "s", hugepages_title(page, title, sizeof(title)),
			free_pages, strerror(err),
			hugepages_command(page, there + (needed > free_pages ? needed - free_pages : needed), command,
					  sizeof(command)));
}

/* Such mappings consist of whole pages. */
static int hugepages_alloc(struct buffer *buffer, struct ibv_context *context)
{
	const uint64_t page = chosen.page ? chosen.page : hugepages_default_size();
	const size_t whole = arith_round_up(buffer->length, page), needed = whole / page;
	/* 16 GiB uses the sign bit. */
	const unsigned size_flag = (unsigned)__builtin_ctzll(page) << SIZE_SHIFT;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (int)size_flag;
	void *pages = mmap(NULL, whole, PROT_READ | PROT_WRITE, flags, -1, 0);
	size_t at_hand;
	char title[32];

	(void)context;
	if (pages == MAP_FAILED)
		return too_few(page, needed, errno);
	at_hand = pages_at_hand(pages, needed, page);
	if (at_hand < needed) {
		munmap(pages, whole);
		return log_fail(-ENOMEM,
				"%s: the buffer needs %zu huge page%s of %s, but only %zu are available on the NUMA "
				"node that memory is allocated from, or in this control group (hugetlb): reserve more "
				"there, in /sys/devices/system/node/node*/hugepages, choose another node with "
				"--numa_node, raise the group's limit, or run without that option",
				chosen.option, needed, needed == 1 ? "" : "s",
				hugepages_title(page, title, sizeof(title)), at_hand);
	}
	buffer->addr = pages;
	buffer->private = (void *)(uintptr_t)whole;
	return 0;
}

static void hugepages_release(struct buffer *buffer)
{
	munmap(buffer->addr, (uintptr_t)buffer->private);
}

const struct memory_ops memory_hugepages = {
	.name = "hugepages",
	.is_pooled = true,
	.alloc = hugepages_alloc,
	.free = hugepages_release,
	.copy = memory_host_copy,
};
