/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the server of PMIx (Open MPI, PRRTE, Slurm with --mpi=pmix) tells a process that its launcher's environment does
 * not: how many there are, and the host of rank 0. libpmix is opened at run time, so nothing depends on it.
 */
#pragma once

#include "front/matrix/place.h"

/* Fills in what the environment did not say, if this process was started with PMIx and its server knows it. */
void pmix_complete(struct launch_place *place);
