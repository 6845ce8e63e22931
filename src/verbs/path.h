/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which of several paths does a connection take, and which other one stands ready? Both are InfiniBand's: a port with
 * an LMC has several LIDs, which source path bits tell apart, and a queue pair may have an alternate path, to which the
 * device moves it when the first one fails (automatic path migration: InfiniBand Architecture Specification 1.3,
 * sections 3.5.10 and 17.2.8). Called by perftest_resources.c and qp.c. Tested without InfiniBand only.
 */
#ifndef VERBS_PATH_H
#define VERBS_PATH_H

#include <infiniband/verbs.h>

struct resources;
struct endpoint;

/* Can the device do what the configuration asks for? Settles the LIDs of this side. 0 or -errno, reported. */
int path_open(struct resources *resources);
/* Adds the alternate path to what is set with RTS. first: the address of the first path. 0 or -errno, reported. */
int path_add_alternate(const struct resources *resources, const struct endpoint *remote,
		       const struct ibv_ah_attr *first, struct ibv_qp_attr *attr, int *mask);

#endif
