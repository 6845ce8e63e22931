// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Time to register SIZE bytes of new memory that has been written to, or to write to it for the first time. Prints
 * seconds. Called by bench/run, over the software device, as: bench_register SIZE register|touch
 */
#include <config.h>

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "spread.h"

#define BLOCKS 3
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

static struct ibv_pd *pd_open(void)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	struct ibv_pd *pd;

	for (int i = 0; devices && devices[i]; i++) {
		if (strcmp(ibv_get_device_name(devices[i]), "soft0") == 0)
			context = ibv_open_device(devices[i]);
	}
	if (!context)
		spread_die("soft0");
	pd = ibv_alloc_pd(context);
	if (!pd)
		spread_die("ibv_alloc_pd");
	return pd;
}

/* Seconds for the first touch, and for the registration. */
static void times_take(struct ibv_pd *pd, size_t size, double *touch, double *registration)
{
	uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double begin = spread_now_ns();
	struct ibv_mr *mr;

	if (memory == MAP_FAILED)
		spread_die("mmap");
	memset(memory, 0x5a, size);
	*touch = (spread_now_ns() - begin) / 1e9;
	begin = spread_now_ns();
	mr = ibv_reg_mr(pd, memory, size, ACCESS);
	*registration = (spread_now_ns() - begin) / 1e9;
	if (!mr)
		spread_die("ibv_reg_mr");
	if (ibv_dereg_mr(mr))
		spread_die("ibv_dereg_mr");
	munmap(memory, size);
}

int main(int argc, char **argv)
{
	double touches[BLOCKS], registrations[BLOCKS];
	size_t size = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	bool registers = argc == 3 && strcmp(argv[2], "register") == 0;
	struct ibv_pd *pd;

	if (!size || (!registers && strcmp(argv[2], "touch") != 0)) {
		fprintf(stderr, "usage: bench_register SIZE register|touch\n");
		return 2;
	}
	pd = pd_open();
	for (int block = 0; block < BLOCKS; block++)
		times_take(pd, size, &touches[block], &registrations[block]);
	spread_print("s", registers ? registrations : touches, BLOCKS);
	return 0;
}
