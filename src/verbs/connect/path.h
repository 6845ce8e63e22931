/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Source path bits and alternate paths, which only InfiniBand has: a port with an LMC has several LIDs, which source
 * path bits select, and a QP may have an alternate path, to which the device migrates it when the first one fails
 * (automatic path migration: InfiniBand Architecture Specification 1.3, sections 3.5.10 and 17.2.8). Called by
 * perftest_resources.c and qp.c. Only tested without InfiniBand.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stddef.h>

struct resources;
struct endpoint;

/*
 * Does the device support what the configuration requests? Also determines the LIDs of this side. 0 or -errno,
 * reported.
 */
int path_open(struct resources *resources);
/* Adds the alternate path to the attributes of RTS. first: address of the primary path. 0 or -errno, reported. */
int path_add_alternate(const struct resources *resources, const struct endpoint *remote,
		       const struct ibv_ah_attr *first, struct ibv_qp_attr *attr, int *mask);

/* --- static rates of address handles: --rate_limit with the hardware limiter --- */

/* 0 and *rate, or -ENOENT: verbs has no such rate (2.5, 5, 10, ... 1200 Gb/s). */
int static_rate_from_gbits(double gbits, enum ibv_rate *rate);
/* Gb/s; 0: no limit, or not one of verbs. */
double static_rate_gbits(enum ibv_rate rate);
/* All rates: "2.5, 5, 10, ...". Returns text. */
const char *static_rate_list(char *text, size_t size);
