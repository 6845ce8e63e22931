// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks for huge pages. See huge_pages.h. */
#include "cxi/huge_pages.h"

#include <errno.h>
#include <inttypes.h>

#include "memory/hugepages.h"
#include "util/log.h"

#define PAGE_2M (2ULL << 20)
#define PAGE_1G (1ULL << 30)

uint64_t cxi_huge_page_bytes(enum huge_pages size)
{
	return size == HUGE_2M ? PAGE_2M : size == HUGE_1G ? PAGE_1G : 0;
}

int cxi_huge_pages_check(enum huge_pages size, uint64_t needed)
{
	const char *name = size == HUGE_2M ? "2M" : "1G";
	const uint64_t page = cxi_huge_page_bytes(size);
	const uint64_t found = hugepages_count(page, "free_hugepages");

	if (found >= needed)
		return hugepages_choose(page, "--use-hp");
	log_error("Insufficient %s huge pages. Need %" PRIu64 " to run, and %" PRIu64 " are free\n"
		  "root can make %" PRIu64 " with hugeadm --pool-pages-min %s:%" PRIu64
		  ", or give a smaller --buf-sz, or omit --use-hp",
		  name, needed, found, needed - found, name, hugepages_count(page, "nr_hugepages") + needed - found);
	return -ENOMEM;
}
