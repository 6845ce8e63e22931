/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Speeds up the start: loads the driver of this machine's devices before libibverbs would load them all. */
#ifndef VERBS_PROVIDER_H
#define VERBS_PROVIDER_H

#include <stdbool.h>

/*
 * To be called before the first ibv_get_device_list(). If it finds nothing to load, libibverbs loads its drivers as
 * usual: nothing is reported, and nothing depends on it.
 */
void provider_load(void);

/* "mlx5" for "mlx5_0", "rxe" for "rxe0", "bnxt_re" for "bnxt_re1"; "" if the name does not tell. Declared for tests. */
void provider_name(const char *device, char *name, unsigned size);
/* "mlx5_bond" becomes "mlx5". False if nothing is left, or there was nothing to cut off. Declared for tests. */
bool provider_name_shorten(char *name);

#endif
