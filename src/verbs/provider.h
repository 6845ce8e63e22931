/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Starts faster: loads the driver of this machine's devices before libibverbs loads them all. */
#ifndef VERBS_PROVIDER_H
#define VERBS_PROVIDER_H

/*
 * Before the first ibv_get_device_list(). Where it finds nothing to load, libibverbs does what it always does:
 * nothing is reported, and nothing depends on it.
 */
void provider_load(void);

/* "mlx5" of "mlx5_0", "rxe" of "rxe0", "bnxt_re" of "bnxt_re1"; "" of a name that says nothing. For the tests. */
void provider_name(const char *device, char *name, unsigned size);

#endif
