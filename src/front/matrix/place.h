/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which of how many instances of `perftest matrix` this one is, and where the controller is, from what the launcher
 * puts into the environment: Slurm, Open MPI, PMI (Hydra), PMIx, an indexed Job of Kubernetes.
 */
#pragma once

#include <stdint.h>

#define PLACE_NONE	UINT32_MAX
#define PLACE_HOST_SIZE 256

struct launch_place {
	const char *launcher;		  /* "Slurm"; NULL: none was found */
	uint32_t rank, count;		  /* PLACE_NONE: the environment does not say */
	char controller[PLACE_HOST_SIZE]; /* the host of rank 0; "": unknown */
	char job[128];			  /* what tells one run from another, as far as the launcher says; "" */
};

/* get: getenv(), or a test's. */
void place_find(struct launch_place *place, char *(*get)(const char *name));
/* The first host of a list as Slurm writes it: "n[007-009,12],m1" gives "n007". "" if it is none. */
void place_first_host(const char *list, char host[PLACE_HOST_SIZE]);
/*
 * Fills in what the environment did not say, the number and the host of rank 0, if this process was started with PMIx
 * (Open MPI, PRRTE, Slurm with --mpi=pmix) and its server knows it. libpmix is opened at run time, so nothing depends
 * on it.
 */
void pmix_complete(struct launch_place *place);
