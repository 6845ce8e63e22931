// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of a byte between two CPUs: two pinned processes, each with a line in a shared memfd that the other stores
 * to. It is the lower limit for every latency of the software device. Prints half round trips in nanoseconds. bench/run
 * reports it next to ib_write_lat's, because a virtual machine's CPUs may be siblings of one core now and unknown peers
 * a second later.
 */
#include <config.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spread.h"

#define BLOCKS	    200
#define ROUND_TRIPS 1000  /* per block */
#define LIMIT_S	    60	  /* in total; otherwise it would wait forever for a dead partner */
#define PAGE	    4096U /* a page for each direction */

static void answer(volatile uint8_t *mine, volatile uint8_t *theirs)
{
	for (uint8_t expected = 1;; expected++) {
		while (*mine != expected)
			;
		*theirs = expected;
	}
}

int main(void)
{
	static double half_ns[BLOCKS];
	volatile uint8_t *ping, *pong;
	int fd = memfd_create("pingpong", MFD_CLOEXEC);
	uint8_t value = 0;
	pid_t child;

	if (spread_cpu(1) < 0) {
		fprintf(stderr, "pingpong: needs two CPUs\n");
		return 1;
	}
	if (fd < 0 || ftruncate(fd, 2 * PAGE))
		spread_die("memfd");
	ping = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (ping == MAP_FAILED)
		spread_die("mmap");
	pong = ping + PAGE;

	alarm(LIMIT_S);
	child = fork();
	if (child < 0)
		spread_die("fork");
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		spread_pin(spread_cpu(1));
		answer(ping, pong);
	}
	spread_pin(spread_cpu(0));
	for (int block = -1; block < BLOCKS; block++) { /* block -1 warms up */
		double begin = spread_now_ns();

		for (int i = 0; i < ROUND_TRIPS; i++) {
			*ping = ++value;
			while (*pong != value)
				;
		}
		if (block >= 0)
			half_ns[block] = (spread_now_ns() - begin) / (2.0 * ROUND_TRIPS);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	spread_print("ns", half_ns, BLOCKS);
	return 0;
}
