/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records the calls to a libibverbs with one device: the stand-in that test_soft_forward links after the software
 * device, in the place of libibverbs.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>

struct fake_ibverbs {
	bool has_devices;	  /* false: the list fails with ENOSYS, as without kernel support */
	int calls;		  /* of functions of the stand-in, except those of the list */
	struct ibv_device **list; /* returned and not yet freed */
	struct ibv_device device; /* "real0" */
	struct ibv_context context;
	struct ibv_pd pd;
	struct ibv_mr mr;
};

extern struct fake_ibverbs fake_ibverbs;
