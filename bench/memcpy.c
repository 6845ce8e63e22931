// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Copy rate of one core: memcpy() of SIZE bytes repeatedly between the same two buffers, both in shared memfd pages
 * like the software device's registered memory: the upper limit for ib_write_bw on soft0. Prints bytes per nanosecond
 * (GB/s). Called by bench/run as: bench_memcpy SIZE
 */
#include <config.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spread.h"

#define BLOCKS	 60
#define BLOCK_NS 3e6

static uint8_t *buffer_new(size_t size)
{
	int fd = memfd_create("memcpy", MFD_CLOEXEC);
	uint8_t *buffer;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		spread_die("memfd");
	buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (buffer == MAP_FAILED)
		spread_die("mmap");
	close(fd);
	memset(buffer, 0x5a, size);
	return buffer;
}

/* Copies `copies` times; returns the elapsed nanoseconds. */
static double copies_time(uint8_t *to, const uint8_t *from, size_t size, unsigned copies)
{
	double begin = spread_now_ns();

	for (unsigned i = 0; i < copies; i++) {
		memcpy(to, from, size);
		__asm__ volatile("" : : "r"(to) : "memory"); /* keeps the compiler from dropping copies */
	}
	return spread_now_ns() - begin;
}

int main(int argc, char **argv)
{
	static double gb_per_s[BLOCKS];
	size_t size = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
	unsigned copies = 1;
	uint8_t *from, *to;

	if (!size) {
		fprintf(stderr, "usage: bench_memcpy SIZE\n");
		return 2;
	}
	from = buffer_new(size);
	to = buffer_new(size);
	spread_pin(spread_cpu(0));
	while (copies_time(to, from, size, copies) < BLOCK_NS)
		copies *= 2;
	for (int block = 0; block < BLOCKS; block++)
		gb_per_s[block] = (double)size * copies / copies_time(to, from, size, copies);
	spread_print("GB/s", gb_per_s, BLOCKS);
	return 0;
}
