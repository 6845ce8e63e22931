// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Interposes ibv_create_ah(): says that the program has an address handle for its peer. */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <stdio.h>

#include "in_front.h"

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	NEXT(ibv_create_ah);
	fprintf(stderr, "an address handle\n");
	return next(pd, attr);
}
