/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by direct.c and direct_key.c, which answer the calls of libefa and libmlx5. */
#ifndef SOFT_DIRECT_CALLS_H
#define SOFT_DIRECT_CALLS_H

#include <dlfcn.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>

#include "abi/abi.h"
#include "host/layout.h"

/* Do we answer for this device, instead of the real library? */
static inline bool direct_answers_for(const struct ibv_device *device)
{
	return soft_is_direct() && soft_owns_device(device);
}

/* Each caches its result: racing threads store the same value. */
#define REAL(name, node)                                                                                               \
	({                                                                                                             \
		static __typeof__(&name) found;                                                                        \
		__typeof__(&name) behind = __atomic_load_n(&found, __ATOMIC_RELAXED);                                  \
                                                                                                                       \
		if (!behind) {                                                                                         \
			*(void **)&behind = dlvsym(RTLD_NEXT, #name, node);                                            \
			__atomic_store_n(&found, behind, __ATOMIC_RELAXED);                                            \
		}                                                                                                      \
		behind;                                                                                                \
	})

static inline void *direct_refuse(int err)
{
	errno = err;
	return NULL;
}

/* Returned by mlx5dv_qp_ex_from_ibv_qp_ex(): for a DCI, and for a queue pair whose requests configure keys. */
struct direct_qp {
	struct mlx5dv_qp_ex dv;
	struct ibv_qp_ex *qp;
	struct signed_config config; /* configuration from the setters of the request being built ... */
	uint8_t *request;	     /* ... and its place in that request; NULL: none, or it failed */
};

/* Installs the calls that configure keys. False: the headers do not have them. */
bool direct_key_install(struct direct_qp *direct);
/* Fills mlx5dv_query_device()'s signature attributes, if requested. */
void direct_key_query(uint64_t asked, struct mlx5dv_context *attr);

#endif
